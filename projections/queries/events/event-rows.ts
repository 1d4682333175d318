import { type FragmentSqlToken, sql } from "slonik";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import {
  emptyRecord,
  type SeismicEvent,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { type ExportRow, FIELD } from "#infra/formats/format-writer.ts";
import type { TextRow } from "#infra/postgres/copy/text-copy.ts";

/** A row of read_model.seismic_events as selected by `EVENT_COLUMNS`. */
export type EventRow = Omit<SeismicEvent, "id" | "time"> & {
  readonly event_id: string;
  /** PostgreSQL's text in UTC: `2016-11-13 11:02:56.346+00`, without trailing zeros. */
  readonly time: string;
  readonly time_digits: number;
};

/** The fields of an export row, followed by the digits of the time. */
export const EVENT_COLUMN_NAMES = [
  "event_id",
  "time",
  ...ATTRIBUTE_NAMES,
  ...STRUCTURED_NAMES,
  "time_digits",
];
const LISTED = EVENT_COLUMN_NAMES.filter((name) => name !== "source_events");

/** Joined once, so that queries need not join the names each time. */
const columns = (names: readonly string[]): FragmentSqlToken => {
  const list = sql.join(
    names.map((name) => sql.identifier([name])),
    sql.fragment`, `,
  );
  return sql.fragment`${list}`;
};

function pageColumns(further: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`${columns(LISTED.slice(0, -1))},
    coalesce(json_array_length(source_events), 1) as source_count, ${further} time_digits`;
}

export const EVENT_COLUMNS = columns(EVENT_COLUMN_NAMES);
export const EVENT_COLUMN_COUNT = EVENT_COLUMN_NAMES.length;
export const LISTED_COLUMNS = columns(LISTED);
/** `LISTED_COLUMNS` with the number of members before the digits of the time: 1 where unmerged. */
export const PAGE_COLUMNS = pageColumns(sql.fragment``);
/** The same with the members themselves. */
export const PAGE_COLUMNS_WITH_SOURCES = pageColumns(sql.fragment`source_events,`);
/** The fields of an export row alone. */
export const EXPORT_COLUMNS = columns(EVENT_COLUMN_NAMES.slice(0, -1));

/** EVENT_COLUMNS of a table by its name in the query. */
export function columnsOf(table: string): FragmentSqlToken {
  const names = EVENT_COLUMN_NAMES.map((name) => sql.identifier([table, name]));
  return sql.fragment`${sql.join(names, sql.fragment`, `)}`;
}

export function toSeismicEvent(row: EventRow): SeismicEvent {
  const { event_id: id, time, time_digits: digits, ...attributes } = row;
  return { id, time: isoTime(time, digits), ...attributes };
}

/** Converts a row copied with `EVENT_COLUMNS` to an export row, reusing its array. */
export function toExportRow(row: TextRow): ExportRow {
  const digits = row.pop();
  row[FIELD.time] = isoTime(row[FIELD.time] as string, Number(digits));
  return row;
}

const SECONDS_END = "2016-11-13 11:02:56".length;

/** PostgreSQL's text of a time in ISO 8601, with the submitted number of fractional digits. */
export function isoTime(text: string, digits: number): string {
  const seconds = `${text.slice(0, 10)}T${text.slice(11, SECONDS_END)}`;
  if (digits === 0) return `${seconds}Z`;
  const fraction = text[SECONDS_END] === "." ? text.slice(SECONDS_END + 1, text.indexOf("+")) : "";
  return `${seconds}.${fraction.padEnd(digits, "0")}Z`;
}

/** Reads records from copied rows of read_model.seismic_events with the given columns. */
export function createRecordReader(
  columns: readonly string[],
): (row: TextRow) => SeismicEventRecord {
  const time = columns.indexOf("time");
  const timeDigits = columns.indexOf("time_digits");
  const scalars = ATTRIBUTE_NAMES.map((name) => {
    const { kind } = ATTRIBUTES[name];
    const isNumber = kind === "number" || kind === "integer";
    return { name, isNumber, place: columns.indexOf(name) };
  });
  const structures = STRUCTURED_NAMES.flatMap((name) => {
    const place = columns.indexOf(name);
    return place === -1 ? [] : [{ name, place }];
  });

  return (row) => {
    const at = isoTime(row[time] as string, Number(row[timeDigits]));
    const record = emptyRecord({ time: at, latitude: 0, longitude: 0 });
    const values = record as Record<string, unknown>;
    for (const { name, isNumber, place } of scalars) {
      const text = row[place];
      if (text !== null && text !== undefined) values[name] = isNumber ? Number(text) : text;
    }
    for (const { name, place } of structures) {
      const text = row[place];
      if (text !== null && text !== undefined) values[name] = JSON.parse(text);
    }
    return record;
  };
}
