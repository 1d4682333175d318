import type { SolutionChanges } from "#contracts/bulletin/solution-change.ts";
import type { DiffFormat } from "#contracts/http/versions.ts";
import { CSV_HEADER, csvRecord } from "#infra/formats/delimited/csv-writer.ts";
import { featureOf } from "#infra/formats/json/geojson-writer.ts";
import { eventJson } from "#infra/formats/json/json-writer.ts";
import type { ChangeCounts, VersionChange } from "#projections/queries/differences/version-diff.ts";

/** A page of the changes between two versions; the counts are of all pages. */
export type DiffPage = ChangeCounts & {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly changes: readonly (VersionChange & Partial<SolutionChanges>)[];
  readonly nextCursor: string | null;
};

export const DIFF_WRITERS: Readonly<Record<DiffFormat, (page: DiffPage) => string>> = {
  json: (page) => `{${headOf(page)},"changes":[\n${page.changes.map(changeJson).join(",\n")}\n]}\n`,
  geojson: (page) =>
    `{"type":"FeatureCollection",${headOf(page)},"features":[\n${page.changes
      .map(({ change, event }) => featureOf(event, "", `,"change":"${change}"`))
      .join(",\n")}\n]}\n`,
  csv: ({ changes }) =>
    `change,${CSV_HEADER}${changes.map(({ change, event }) => `${change},${csvRecord(event)}`).join("")}`,
};

/** The members that JSON and GeoJSON have in common. */
function headOf({ from, to, added, updated, removed, nextCursor }: DiffPage): string {
  return JSON.stringify({ from, to, added, updated, removed, nextCursor }).slice(1, -1);
}

function changeJson({ change, event, before, ...solutions }: DiffPage["changes"][number]): string {
  const was = before === null ? "" : `,"before":${eventJson(before)}`;
  const changed = Object.entries(solutions).map(
    ([name, value]) => `,"${name}":${JSON.stringify(value)}`,
  );
  return `{"change":"${change}","event":${eventJson(event)}${was}${changed.join("")}}`;
}
