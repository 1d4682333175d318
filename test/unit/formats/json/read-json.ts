import { readFileSync } from "node:fs";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { ReadResult } from "#infra/formats/format-reader.ts";
import { createJsonReader } from "#infra/formats/json/json-reader.ts";
import { atOnce } from "#infra/kernel/steps.ts";

export type Told = { readonly line: number; readonly message: string };

export type ReadJson = ReadResult & {
  readonly rows: JsonObject[];
  /** Where each row begins. */
  readonly lines: number[];
  readonly errors: Told[];
  readonly warnings: Told[];
};

/** All that the reader tells of a text that comes in the given pieces. */
export function readJson(...pieces: string[]): ReadJson {
  const rows: JsonObject[] = [];
  const lines: number[] = [];
  const errors: Told[] = [];
  const warnings: Told[] = [];
  const reader = createJsonReader({
    row(row, line) {
      rows.push(row);
      lines.push(line);
    },
    error: (line, message) => errors.push({ line, message }),
    warning: (line, message) => warnings.push({ line, message }),
  });
  for (const piece of pieces) reader.write(piece);
  return { ...atOnce(reader.end()), rows, lines, errors, warnings };
}

export const FIXTURES = [
  "usgs.geojson",
  "emsc.json",
  "list.json",
  "own-export.json",
  "lines.ndjson",
  "feature.geojson",
  "csep.json",
] as const;

export function fixture(name: (typeof FIXTURES)[number]): string {
  return readFileSync(new URL(`../../../fixtures/formats/json/${name}`, import.meta.url), "utf8");
}
