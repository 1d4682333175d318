import { Route, Switch } from "wouter-preact";
import { type PageProps, routes } from "./routes.ts";
import { ConnectionBar } from "./shell/connection-bar.tsx";
import { Header } from "./shell/header.tsx";
import { Keyboard } from "./shell/keyboard.tsx";
import { LazyPage } from "./shell/lazy-page.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { SessionEnded } from "./shell/session-ended.tsx";
import { Notices } from "./ui/notices.tsx";

export function App() {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Header />
      <ConnectionBar />
      <main id="content" tabIndex={-1}>
        <Switch>
          {routes.map((route) => (
            <Route key={route.path} path={route.path}>
              {(params) => <LazyPage route={route} params={params as PageProps["params"]} />}
            </Route>
          ))}
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </main>
      <Notices />
      <Keyboard />
      <SessionEnded />
    </>
  );
}
