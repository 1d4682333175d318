import { Redirect, Route, Switch } from "wouter-preact";
import { call } from "../api/call.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { PageProps, PageRoute } from "../model/page-route.ts";
import { useCall } from "../ui/call/use-call.ts";
import { Waiting } from "../ui/call/waiting.tsx";
import { FailedPage } from "../ui/failed-page.tsx";
import { LazyPage } from "./lazy-page.tsx";

/** The pages of a share: of its catalogue alone, to which any other address leads. */
export function SharedPages({ routes }: { readonly routes: readonly PageRoute[] }) {
  const { last, error, reload } = useCall<Catalogue>("", (signal) =>
    call("GET /api/catalogues/:id", { params: { id: "" } }, { signal }),
  );
  if (last === null) {
    if (error === null) return <Waiting />;
    return <FailedPage title="Shared catalogue" error={error} retry={reload} />;
  }
  const { id } = last;
  return (
    <Switch>
      {routes
        .filter(({ isShared }) => isShared)
        .map((route) => (
          <Route key={route.path} path={route.path.replace(":id", id)}>
            {(params) => (
              <LazyPage route={route} params={{ ...(params as PageProps["params"]), id }} />
            )}
          </Route>
        ))}
      <Route>
        <Redirect to={`/catalogues/${id}${location.search}`} replace />
      </Route>
    </Switch>
  );
}
