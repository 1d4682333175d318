import { type Signal, signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Of the window; the last two are wouter-preact's own. */
type Events = WindowEventMap & Readonly<Record<"pushState" | "replaceState", Event>>;
type Listeners = { readonly [Name in keyof Events]?: (event: Events[Name]) => void };

/**
 * Listens to events of the window.
 * @returns what ends the listening
 */
export function listen(listeners: Listeners, options?: AddEventListenerOptions): () => void {
  const all = Object.entries(listeners) as [string, EventListener][];
  for (const [name, act] of all) addEventListener(name, act, options);
  return () => {
    for (const [name, act] of all) removeEventListener(name, act, options);
  };
}

/** A file that was dropped on a page, until the page that reads files takes it. */
export const droppedFile = signal<File | null>(null);

type Size = { readonly width: number; readonly height: number };

/** How large an element is, pixels; nothing before it is there. */
export function useSize(element: RefObject<HTMLElement | null>): Signal<Size> {
  const size = useSignal<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const seen = element.current;
    if (!seen) return;
    const resized = new ResizeObserver(() => {
      size.value = { width: seen.clientWidth, height: seen.clientHeight };
    });
    resized.observe(seen);
    return () => resized.disconnect();
  }, []);
  return size;
}
