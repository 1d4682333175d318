import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** The window over the page, which the shell shows until another page is there; null for none. */
export const shownWindow = signal<ComponentChildren>(null);
