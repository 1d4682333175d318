import type { PageProps, PageRoute } from "./ui/page.tsx";
import "./ui/style/main.css";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { Route, Router, Switch, useLocation } from "wouter-preact";
import { share } from "./api/call.ts";
import { readSession } from "./api/session.ts";
import { routes } from "./routes.ts";
import { useArrival } from "./shell/arrival.ts";
import { ConnectionBar, SessionBar, SessionEnded } from "./shell/bars.tsx";
import { DropAnywhere } from "./shell/drop-anywhere.tsx";
import { Header, SharedHeader } from "./shell/header.tsx";
import { Keyboard } from "./shell/keyboard.tsx";
import { LazyPage, NotFound, PageBoundary, SharedPages } from "./shell/lazy-page.tsx";
import { Notices } from "./ui/call.tsx";
import { shownWindow } from "./ui/form/dialog.tsx";
import { applyTheme } from "./ui/style/theme.ts";

/** Pages for those who build the console; where the service is not in development, their files are not made. */
const developmentRoutes: readonly PageRoute[] = DEVELOPMENT
  ? [
      {
        path: "/styleguide",
        title: "Style guide",
        load: () => import("./pages/development/styleguide.tsx"),
      },
    ]
  : [];

const pages = [...routes, ...developmentRoutes];

function App() {
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
      <ShownWindow />
      <DropAnywhere />
      <SessionEnded />
    </>
  );
}

function ShownWindow() {
  const [path] = useLocation();
  useEffect(() => {
    shownWindow.value = null;
  }, [path]);
  return shownWindow.value;
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

applyTheme();
// What goes wrong is told by the bars at the top, which ask again.
readSession().catch(() => undefined);
const root = document.getElementById("root");
if (root) {
  render(
    <Router base={share ?? ""}>
      <PageBoundary>
        <App />
      </PageBoundary>
    </Router>,
    root,
  );
}
