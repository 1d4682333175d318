import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { ReadResult } from "#infra/formats/format-reader.ts";
import { createScmlReader } from "#infra/formats/scml/reader.ts";
import { atOnce } from "#infra/kernel/iteration.ts";

export type ReadScml = ReadResult & {
  readonly rows: readonly JsonObject[];
  readonly bulletins: readonly Bulletin[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
};

/** What a document of SCML gives; it is read in pieces of `size` characters. */
export function readScml(document: string, size = document.length): ReadScml {
  const rows: JsonObject[] = [];
  const bulletins: Bulletin[] = [];
  const errors: string[] = [];
  const warnings: string[] = [];
  const reader = createScmlReader({
    row(row, _line, bulletin) {
      rows.push(row);
      if (bulletin !== undefined) bulletins.push(bulletin);
    },
    error: (line, message) => errors.push(`${line}: ${message}`),
    warning: (line, message) => warnings.push(`${line}: ${message}`),
  });
  for (let at = 0; at < document.length; at += size) reader.write(document.slice(at, at + size));
  return { ...atOnce(reader.end()), rows, bulletins, errors, warnings };
}
