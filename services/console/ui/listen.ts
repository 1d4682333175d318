import { signal } from "@preact/signals";

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
