import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { has, user } from "../api/session.ts";
import type { PageProps, PageRoute } from "../model/page-route.ts";
import { Waiting } from "../ui/call/waiting.tsx";
import { Forbidden } from "./forbidden.tsx";
import { ReloadOrLeave } from "./page-boundary.tsx";

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
