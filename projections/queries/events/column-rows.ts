import type { Pool } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { placeOfCount } from "#contracts/bulletin/bulletin-summary.ts";
import type { ColumnName } from "#contracts/http/events/event-columns.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { ExportRow } from "#infra/formats/format-writer.ts";
import { type CopyForm, copyBytes } from "#infra/postgres/copy/copy-out.ts";
import type { TextRow } from "#infra/postgres/copy/text-copy.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { isoTime } from "./copied-event.ts";
import { filterConditions } from "./event-filters.ts";
import { exportConnection } from "./export-events.ts";
import { type ResolvedVersion, requirePresent, visibleAt } from "./resolve-version.ts";
import { orderBy } from "./selection.ts";

/** The columns to read of the events of one version that satisfy the filters. */
export type ColumnSelection = {
  readonly version: ResolvedVersion;
  readonly filters: EventFilters;
  readonly columns: readonly ColumnName[];
};

/**
 * Their rows in one of COPY's formats, newest event first, as received from the database. As text they
 * have the digits of the time after the columns, for `toColumnRow`.
 * @param signal releases the connection, whatever the database is doing
 * @throws Refusal UNAVAILABLE when no connection is free, NOT_FOUND when the catalogue was deleted
 */
export async function* columnBytes(
  { exportPool, lookups }: { readonly exportPool: Pool; readonly lookups: Lookups },
  selection: ColumnSelection,
  signal: AbortSignal,
  form: CopyForm,
): AsyncGenerator<Buffer> {
  const client = await exportConnection(exportPool);
  yield* copyBytes(client, columnQuery(selection, form), signal, form);
  await requirePresent(lookups, selection.version);
}

function columnQuery(
  { version, filters, columns }: ColumnSelection,
  form: CopyForm,
): FragmentSqlToken {
  const read = columns.map(columnOf);
  if (form === "text") read.push(sql.fragment`time_digits`);
  return sql.fragment`
    select ${sql.join(read, sql.fragment`, `)} from read_model.seismic_events
    where ${visibleAt(version)} and ${filterConditions(filters)}
    order by ${orderBy("time", false)}`;
}

function columnOf(name: ColumnName): FragmentSqlToken {
  switch (name) {
    case "id":
      return sql.fragment`event_id`;
    case "arrivals":
      // PostgreSQL counts from 1.
      return sql.fragment`bulletin_counts[${placeOfCount("arrivals") + 1}]`;
    default:
      return sql.fragment`${sql.identifier([name])}`;
  }
}

/** Makes the values of rows copied as text those of an export row; the rows' arrays are reused. */
export function toColumnRow(columns: readonly ColumnName[]): (row: TextRow) => ExportRow {
  const time = columns.indexOf("time");
  return (row) => {
    const digits = row.pop();
    if (time >= 0) row[time] = isoTime(row[time] as string, Number(digits));
    return row;
  };
}
