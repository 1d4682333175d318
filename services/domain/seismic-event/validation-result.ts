import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

/** What is wrong with one attribute: `field` is its canonical name, `message` continues a sentence. */
export type FieldError = { readonly field: string; readonly message: string };

/** `id` is the submitter's own identifier of a refused event, where it has a readable one. */
export type ValidatedEvent =
  | { readonly ok: true; readonly record: SeismicEventRecord }
  | { readonly ok: false; readonly id?: string; readonly errors: readonly FieldError[] };

/** Where readers put what they find; a reader that reports answers null. */
export type Report = (field: string, message: string) => void;
