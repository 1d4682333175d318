import { meaningOf, remarksOnUnread, zoneInName } from "#contracts/seismic-event/input-names.ts";
import type { NamedColumns } from "#contracts/seismic-event/named-columns.ts";
import { timePartNames, timePartOf } from "#contracts/seismic-event/split-time.ts";
import { type ColumnMeaning, columnMeanings } from "./columns.ts";
import type { SampleRows } from "./sample.ts";
import { holdsDates, sampledCells } from "./unknown-columns.ts";

const LISTED_PARTS = 10;

/**
 * Why the only times of a file, or the only times of day beside its dates, cannot be read: their
 * column's name says another zone; else null.
 */
export function foreignZone(
  names: readonly string[],
  columns: NamedColumns,
  sample: SampleRows,
): string | null {
  const isTime = (name: string) => ["time", "date"].includes(meaningOf(name)?.field ?? "");
  const hasTime = names.some(
    (name, i) => columns.has(name) || (isTime(name) && !holdsDates(sampledCells(sample, i))),
  );
  const hasClock = names.some((name) => timePartOf(name) === "hour");
  for (const name of hasTime || hasClock || timePartNames(names) !== null ? [] : names) {
    const fault = zoneInName(name);
    if (fault !== null) return `the times of ${JSON.stringify(name)} are ${fault}`;
  }
  return null;
}

/** Which columns have a unit that is not read, where no other column gives the attribute. */
export function remarksOnUnits(keys: readonly string[]): string[] {
  const known = new Set<string | null>(columnMeanings(keys).map(({ meaning }) => meaning));
  return remarksOnUnread(
    keys.filter((name) => zoneInName(name) === null),
    known,
  );
}

/** What the columns of these keys do not give, and every event needs. */
export function remarksOnMissing(keys: readonly string[]): string[] {
  const columns = columnMeanings(keys);
  const meanings = new Set(columns.map(({ meaning }) => meaning));
  const isThere = (...any: ColumnMeaning[]) => any.some((meaning) => meanings.has(meaning));
  const missing = [
    ...(isThere("time", "date", "part") ? [] : ["time"]),
    ...(isThere("latitude") ? [] : ["latitude"]),
    ...(isThere("longitude") ? [] : ["longitude"]),
  ];
  const parts = keys.filter((_, i) => columns[i]?.meaning === "part");
  const arePartsWhole = parts.length === 0 || timePartNames(parts) !== null;
  return [
    ...(missing.length > 0 ? [`No column is recognised as ${missing.join(" or ")}`] : []),
    ...(isThere("time", "date") || arePartsWhole ? [] : [remarkOnParts(parts)]),
    ...(isThere("magnitude") ? [] : [NO_MAGNITUDE]),
  ];
}

const NO_MAGNITUDE = "No column is recognised as magnitude; it is null, not known, in all rows";

function remarkOnParts(parts: readonly string[]): string {
  const list = parts.slice(0, LISTED_PARTS).join(", ");
  return `No time can be made of ${list}: a year, a month and a day are needed`;
}
