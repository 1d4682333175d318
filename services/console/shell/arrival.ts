import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { listen } from "../ui/listen.ts";

/**
 * Begins a page where one reads it: at its top, with the focus on its heading, which is read out then.
 * After Back and Forward the browser scrolls by itself; another query is the same page.
 */
export function useArrival(): void {
  const [path] = useLocation();
  const from = useRef(path);
  const isReturn = useRef(false);
  useEffect(() => {
    const onPop = () => {
      isReturn.current = true;
    };
    const onPush = () => {
      isReturn.current = false;
    };
    return listen({ popstate: onPop, pushState: onPush, replaceState: onPush });
  }, []);
  useEffect(() => {
    if (from.current === path) return;
    from.current = path;
    const main = document.getElementById("content");
    if (!main) return;
    if (!isReturn.current) scrollTo(0, 0);
    // Holds the place of a heading that comes with the page's answer.
    main.focus({ preventScroll: true });
    return focusHeading(main);
  }, [path]);
}

/** Focuses the heading once it is there, unless somebody has gone on from there meanwhile. */
function focusHeading(main: HTMLElement): () => void {
  const seek = () => {
    const heading = main.querySelector("h1");
    if (!heading) return;
    observer.disconnect();
    const { activeElement } = document;
    if (activeElement !== main && activeElement !== document.body) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(seek);
  observer.observe(main, { childList: true, subtree: true });
  seek();
  return () => observer.disconnect();
}
