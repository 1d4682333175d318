import { Route, Switch } from "wouter-preact";
import { share } from "./api/share.ts";
import { developmentRoutes } from "./development-routes.ts";
import type { PageProps } from "./model/page-route.ts";
import { routes } from "./routes.ts";
import { useArrival } from "./shell/arrival.ts";
import { ConnectionBar } from "./shell/connection-bar.tsx";
import { DropAnywhere } from "./shell/drop-anywhere.tsx";
import { Header, SharedHeader } from "./shell/header.tsx";
import { Keyboard } from "./shell/keyboard.tsx";
import { LazyPage } from "./shell/lazy-page.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { PageBoundary } from "./shell/page-boundary.tsx";
import { SessionBar } from "./shell/session-bar.tsx";
import { SessionEnded } from "./shell/session-ended.tsx";
import { SharedPages } from "./shell/shared-pages.tsx";
import { Notices } from "./ui/call/notices.tsx";

const pages = [...routes, ...developmentRoutes];

export function App() {
  useArrival();
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      {share === null ? <Header routes={routes} /> : <SharedHeader />}
      <ConnectionBar />
      <SessionBar />
      <main id="content" tabIndex={-1}>
        <PageBoundary>{share === null ? <Pages /> : <SharedPages routes={routes} />}</PageBoundary>
      </main>
      <Notices />
      <Keyboard />
      <DropAnywhere />
      <SessionEnded />
    </>
  );
}

function Pages() {
  return (
    <Switch>
      {pages.map((route) => (
        <Route key={route.path} path={route.path}>
          {(params) => <LazyPage route={route} params={params as PageProps["params"]} />}
        </Route>
      ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
