import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

/** A problem with one attribute: `field` is its canonical name, `message` continues a sentence. */
export type FieldError = { readonly field: string; readonly message: string };

/** `id` is the submitter's own identifier of a refused event, if readable. */
export type ValidatedEvent =
  | { readonly ok: true; readonly record: SeismicEventRecord }
  | { readonly ok: false; readonly id?: string; readonly errors: readonly FieldError[] };

/** Receives problems; a reader returns its null, instead of a value. */
export type Report = (field: string, message: string) => null;
