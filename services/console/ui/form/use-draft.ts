import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { user } from "../../api/session.ts";
import { listen } from "../listen.ts";

/**
 * What a form holds, kept by the tab: a reload and signing in again leave it as it is. Nobody else who
 * signs in there gets it. What equals the beginning is not kept.
 * @param initial one object for all renderings, of values that JSON can hold
 */
export function useDraft<T>(name: string, initial: T): Signal<T> {
  const key = useMemo(() => `draft of ${name} of ${user.value?.id ?? "nobody"}`, [name]);
  const draft = useSignal<T>(useMemo(() => completed(read(key), initial), [key]));
  // At once: the effects of a page that is left at the same moment would come too late.
  useEffect(
    () => draft.subscribe((value) => write(key, value === initial ? null : value)),
    [key, initial],
  );
  return draft;
}

/** A console that has been updated meanwhile may have more fields. */
function completed<T>(stored: T | null, initial: T): T {
  if (stored === null) return initial;
  return typeof initial === "object" && initial !== null ? { ...initial, ...stored } : stored;
}

function read<T>(key: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as T | null;
  } catch {
    return null;
  }
}

/** Where the browser keeps nothing, or not as much, the form works all the same. */
function write(key: string, value: unknown): void {
  try {
    sessionStorage.removeItem(key);
    if (value !== null) sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // As before: nothing is kept.
  }
}

/** Asks before the page is left, by a link, a reload or closing, while leaving it would lose something. */
export function useLeaveWarning(isNeeded: boolean, question: string): void {
  useEffect(() => {
    if (!isNeeded) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (link === null || link.getAttribute("target") === "_blank") return;
      if (event.ctrlKey || event.metaKey || event.shiftKey || confirm(question)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    // Clicks before the link itself has them, which would change the page.
    return listen({ beforeunload: onUnload, click: onClick }, { capture: true });
  }, [isNeeded, question]);
}
