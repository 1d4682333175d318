import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { DelimitedOptions } from "#infra/formats/delimited/delimited-reader.ts";
import type { UploadFormat } from "#infra/formats/format-reader.ts";

/** A catalogue file as the world writes it, and what a reader tells of it. */
export type Variant = {
  readonly title: string;
  readonly text: string;
  readonly options?: Partial<DelimitedOptions>;
  readonly format: UploadFormat;
  readonly headers: readonly string[];
  readonly rows: readonly JsonObject[];
  readonly errors?: readonly string[];
  readonly warnings?: readonly string[];
};

export const lines = (...all: string[]) => `${all.join("\n")}\n`;
