import type { FurtherForm } from "./further-form.ts";

/** What the parts of the further config have in common. */
export type PartProps = {
  readonly form: FurtherForm;
  readonly set: (change: Partial<FurtherForm>) => void;
  /** @param field its path in a config, for example "windows.0.from" */
  readonly problemOf: (field: string) => string | undefined;
};
