import type { ImportForm } from "./import-body.ts";

/** A part of the form. */
export type PartProps = {
  readonly form: ImportForm;
  readonly set: (change: Partial<ImportForm>) => void;
  readonly problemOf: (field: string) => string | undefined;
};
