import { useEffect } from "preact/hooks";

/** What the browser calls the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Earthquake catalogues`;
  }, [title]);
}
