import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { has, user } from "../api/session.ts";
import type { PageProps, PageRoute } from "../routes.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Waiting } from "../ui/waiting.tsx";
import { Forbidden } from "./forbidden.tsx";

type LazyPageProps = PageProps & { readonly route: PageRoute };

/** Loads a page's file, and shows the page to whom it is for. */
export function LazyPage({ route, params }: LazyPageProps) {
  const page = useSignal<ComponentType<PageProps> | null>(null);
  const failure = useSignal<unknown>(null);
  useEffect(() => {
    document.title = `${route.title} · Earthquake catalogues`;
    let isShown = true;
    route.load().then(
      ({ Page }) => {
        if (isShown) page.value = Page;
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
    return () => {
      isShown = false;
    };
  }, [route]);
  if (failure.value) return <ErrorNotice error={failure.value} />;
  const Page = page.value;
  if (route.role !== undefined && !has(route.role)) {
    return user.value === undefined ? <Waiting /> : <Forbidden role={route.role} />;
  }
  return Page ? <Page params={params} /> : <Waiting />;
}
