import { signal } from "@preact/signals";

/** A file that was dropped on a page, until the page that reads files takes it. */
export const droppedFile = signal<File | null>(null);
