import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import {
  createDelimitedReader,
  type DelimitedOptions,
} from "#infra/formats/delimited/delimited-reader.ts";
import type { UploadFormat } from "#infra/formats/format-reader.ts";
import { atOnce } from "#infra/kernel/steps.ts";

/** A note of the reader as `line: message`. */
export type Read = {
  readonly rows: readonly JsonObject[];
  /** The line of each row. */
  readonly lines: readonly number[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly headers: readonly string[];
  readonly format: UploadFormat;
};

/** Everything a reader tells of a text that comes in the given pieces. */
export function readPieces(
  pieces: Iterable<string>,
  options: Partial<DelimitedOptions> = {},
): Read {
  const rows: JsonObject[] = [];
  const lines: number[] = [];
  const errors: string[] = [];
  const warnings: string[] = [];
  const reader = createDelimitedReader(
    {
      row(row, line) {
        rows.push(row);
        lines.push(line);
      },
      error: (line, message) => errors.push(`${line}: ${message}`),
      warning: (line, message) => warnings.push(`${line}: ${message}`),
    },
    { delimiter: "auto", ...options },
  );
  for (const piece of pieces) reader.write(piece);
  return { rows, lines, errors, warnings, ...atOnce(reader.end()) };
}

export function readText(text: string, options: Partial<DelimitedOptions> = {}): Read {
  return readPieces([text], options);
}
