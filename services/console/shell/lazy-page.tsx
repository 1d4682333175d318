import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { has, type Role, readSession, user } from "../api/session.ts";
import type { PageProps, PageRoute } from "../model/page-route.ts";
import { hereAsNext } from "../ui/call/next-address.ts";
import { Waiting } from "../ui/call/waiting.tsx";
import { Empty } from "../ui/empty.tsx";
import { ReloadOrLeave } from "./page-boundary.tsx";

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
    <section class="page">
      <h1>Not for your role</h1>
      <Empty
        title={`This page is for ${PEOPLE[role]}; you are signed in as ${user.value?.role}.`}
        text="You can ask for another role in your profile; an administrator decides."
      >
        <Link class="button" href="/profile">
          To the profile
        </Link>
        <Link class="button quiet" href="/">
          All catalogues
        </Link>
      </Empty>
    </section>
  );
}

type LazyPageProps = PageProps & { readonly route: PageRoute };

/** What was loaded before is there at once: Back and Forward find a page as high as it was. */
const loaded = new WeakMap<PageRoute, ComponentType<PageProps>>();

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
  if (hasFailed.value) return <NotLoaded title={route.title} />;
  const Page = page.value;
  return Page ? <Page params={params} /> : <Waiting />;
}

/** Files of a page have other names in every version of the console; those of earlier ones are gone. */
function NotLoaded({ title }: { readonly title: string }) {
  return (
    <section class="page middle">
      <h1>{title}</h1>
      <p role="alert">
        This page could not be loaded. There may be a new version of the console: reload the page to
        get it.
      </p>
      <ReloadOrLeave />
    </section>
  );
}
