import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { Link, Redirect, Route, Switch, useLocation } from "wouter-preact";
import { has, hereAsNext, type Role, readSession, user } from "../api/session.ts";
import { useAnswer, Waiting } from "../ui/call.tsx";
import {
  Button,
  ButtonLink,
  Empty,
  Frame,
  type PageProps,
  type PageRoute,
  Unread,
  useTitle,
} from "../ui/page.tsx";

/** Whom a page is for. */
const PEOPLE: Readonly<Record<Role, string>> = {
  viewer: "people with an account",
  editor: "editors",
  admin: "administrators",
};

/** Sends guests to sign in and back; tells others which role the page needs. */
function Forbidden({ role }: { readonly role: Role }) {
  const [, navigate] = useLocation();
  const isGuest = user.value === null;
  useEffect(() => {
    if (isGuest) navigate(`/login${hereAsNext()}`, { replace: true });
  }, [isGuest]);
  // The role may have been raised since the service was asked.
  useEffect(() => {
    if (!isGuest) readSession().catch(() => undefined);
  }, []);
  if (isGuest) return null;
  return (
    <Frame title="Not for your role">
      <Empty
        title={`This page is for ${PEOPLE[role]}; you are signed in as ${user.value?.role}.`}
        text="You can ask for another role in your profile; an administrator decides."
      >
        <ButtonLink href="/profile" text="To the profile" />
        <ButtonLink class="quiet" href="/" text="All catalogues" />
      </Empty>
    </Frame>
  );
}

type LazyPageProps = PageProps & { readonly route: PageRoute };

/** What was loaded before is there at once: Back and Forward find a page as high as it was. */
const loaded = new WeakMap<PageRoute, ComponentType<PageProps>>();

/** Files of a page have other names in every version of the console; those of earlier ones are gone. */
const NOT_LOADED =
  "This page could not be loaded. There may be a new version of the console: reload the page to get it.";

/** Loads a page's file, and shows the page to whom it is for. */
export function LazyPage({ route, params }: LazyPageProps) {
  const page = useSignal(loaded.get(route) ?? null);
  const hasFailed = useSignal(false);
  useEffect(() => {
    document.title = `${route.title} · Earthquake catalogues`;
    let isShown = true;
    route.load().then(
      ({ Page }) => {
        loaded.set(route, Page);
        if (isShown) page.value = Page;
      },
      () => {
        hasFailed.value = true;
      },
    );
    return () => {
      isShown = false;
    };
  }, [route]);
  if (route.role !== undefined && !has(route.role)) {
    return user.value === undefined ? <Waiting /> : <Forbidden role={route.role} />;
  }
  if (hasFailed.value) return <BrokenPage title={route.title} text={NOT_LOADED} />;
  const Page = page.value;
  return Page ? <Page params={params} /> : <Waiting />;
}

/** Stands where a page fails, until another is opened: the rest of the console goes on. */
export function PageBoundary({ children }: { readonly children: ComponentChildren }) {
  // The browser's console gets it, as without a boundary.
  const [failure, reset] = useErrorBoundary((error) => reportError(error));
  const [path] = useLocation();
  useEffect(() => reset(), [path]);
  if (!failure) return <>{children}</>;
  return (
    <BrokenPage
      title="This page does not work"
      text="Something on it went wrong in the browser. What the service has stored is as it was."
    />
  );
}

/** A page that cannot be shown: why, and the two ways out of it. */
function BrokenPage({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Frame title={title} class="page middle">
      <p role="alert">{text}</p>
      <p class="row">
        <Button class="primary" onClick={() => location.reload()} text="Reload the page" />
        <Link href="/">To the catalogues</Link>
      </p>
    </Frame>
  );
}

/** The pages of a share: of its catalogue alone, to which any other address leads. */
export function SharedPages({ routes }: { readonly routes: readonly PageRoute[] }) {
  const params = { id: "" };
  const { last, error, reload } = useAnswer("GET /api/catalogues/:id", { params });
  if (last === null) return <Unread title="Shared catalogue" error={error} retry={reload} />;
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

export function NotFound() {
  useTitle("Not found");
  return (
    <Frame title="There is no such page">
      <Empty
        title="Nothing stands at this address."
        text="It may be mistyped, or come from an older link."
      >
        <ButtonLink href="/" text="All catalogues" />
        <ButtonLink class="quiet" href="/status" text="Status" />
      </Empty>
    </Frame>
  );
}
