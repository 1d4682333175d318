import { useEffect } from "preact/hooks";

/** Asks before the page is left, by a link, a reload or closing, while leaving it would lose something. */
export function useLeaveWarning(isNeeded: boolean, question: string): void {
  useEffect(() => {
    if (!isNeeded) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    // Before the link itself, which would change the page.
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (link === null || link.getAttribute("target") === "_blank") return;
      if (event.ctrlKey || event.metaKey || event.shiftKey || confirm(question)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick, { capture: true });
    return () => {
      removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick, { capture: true });
    };
  }, [isNeeded, question]);
}
