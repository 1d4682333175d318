import { type FragmentSqlToken, sql } from "slonik";
import { countsStored } from "#contracts/bulletin/bulletin-summary.ts";
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
import type { KeptBulletin } from "#infra/event-log/chunk-writer.ts";
import type { TextRow } from "#infra/postgres/copy/text-copy.ts";
import { bulletinColumn } from "./bulletin-column.ts";
import { isoTime } from "./copied-event.ts";

/** A row of read_model.seismic_events as selected by `EVENT_COLUMNS`, or `WHOLE_COLUMNS`. */
export type EventRow = SeismicEventRecord & {
  readonly event_id: string;
  readonly bulletin_sha256: Uint8Array | null;
  readonly bulletin_counts?: readonly number[] | null;
  readonly bulletin_revision?: number | null;
  /** PostgreSQL's text in UTC: `2016-11-13 11:02:56.346+00`, without trailing zeros. */
  readonly time: string;
  readonly time_digits: number;
};

/** The fields of an export row. */
const FIELD_NAMES = ["event_id", "time", ...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES];
/** The fields of an export row, followed by its bulletin's hash and the digits of the time. */
export const EVENT_COLUMN_NAMES = [...FIELD_NAMES, "bulletin_sha256", "time_digits"];
const LISTED = FIELD_NAMES.filter((name) => name !== "source_events");

/** In the order of STORED_COUNTS. */
const BULLETIN_MEMBERS = sql.fragment`
  case when bulletin_sha256 is not null then
    format('"bulletin_sha256":"%s","bulletin_counts":{"origins":%s,"magnitudes":%s,'
        '"station_magnitudes":%s,"amplitudes":%s,"picks":%s,"arrivals":%s,"focal_mechanisms":%s,'
        '"comments":%s,"bytes":%s}',
      encode(bulletin_sha256, 'hex'), bulletin_counts[1], bulletin_counts[2], bulletin_counts[3],
      bulletin_counts[4], bulletin_counts[5], bulletin_counts[6], bulletin_counts[7],
      bulletin_counts[8], bulletin_counts[9]) end`;

/** Joined once, so that queries need not join the names each time. */
const columns = (names: readonly string[]): FragmentSqlToken => {
  const list = sql.join(
    names.map((name) => sql.identifier([name])),
    sql.fragment`, `,
  );
  return sql.fragment`${list}`;
};

const NOTHING = sql.fragment``;
const BULLETIN = sql.fragment`${bulletinColumn()},`;

function pageColumns(
  further: FragmentSqlToken,
  bulletin: FragmentSqlToken = NOTHING,
): FragmentSqlToken {
  return sql.fragment`${columns(LISTED)},
    coalesce(json_array_length(source_events), 1) as source_count, ${further}
    ${BULLETIN_MEMBERS}, ${bulletin} time_digits`;
}

export const EVENT_COLUMNS = columns(EVENT_COLUMN_NAMES);
/** EVENT_COLUMNS with all that a row knows of its bulletin. */
export const WHOLE_COLUMNS = sql.fragment`${EVENT_COLUMNS}, bulletin_revision, bulletin_counts`;
export const EVENT_COLUMN_COUNT = EVENT_COLUMN_NAMES.length;
export const LISTED_COLUMNS = columns([...LISTED, "bulletin_sha256", "time_digits"]);
/**
 * The fields of a listed event, the number of its members (1 where unmerged), the members of its JSON
 * that tell of its bulletin, as text, and the digits of the time.
 */
export const PAGE_COLUMNS = pageColumns(sql.fragment``);
/** The same with the members themselves. */
export const PAGE_COLUMNS_WITH_SOURCES = pageColumns(sql.fragment`source_events,`);
/** PAGE_COLUMNS with the bulletins themselves before the digits of the time. */
export const PAGE_COLUMNS_WITH_BULLETINS = pageColumns(sql.fragment``, BULLETIN);
export const PAGE_COLUMNS_WITH_BOTH = pageColumns(sql.fragment`source_events,`, BULLETIN);
/** The fields of an export row alone. */
export const EXPORT_COLUMNS = columns(FIELD_NAMES);

/** EVENT_COLUMNS of a table by its name in the query. */
export function columnsOf(table: string): FragmentSqlToken {
  const names = EVENT_COLUMN_NAMES.map((name) => sql.identifier([table, name]));
  return sql.fragment`${sql.join(names, sql.fragment`, `)}`;
}

export function toSeismicEvent(row: EventRow): SeismicEvent {
  const {
    event_id: id,
    time,
    time_digits: digits,
    bulletin_sha256: sha256,
    bulletin_counts: counts,
    bulletin_revision: _,
    ...attributes
  } = row;
  return {
    id,
    time: isoTime(time, digits),
    ...attributes,
    ...(sha256 && { bulletin_sha256: Buffer.from(sha256).toString("hex") }),
    ...(counts && { bulletin_counts: countsStored(counts) }),
  };
}

/** A row of `WHOLE_COLUMNS` as one that keeps its bulletin; null where it has none. */
export function keptBulletin(row: EventRow): KeptBulletin | null {
  const { bulletin_sha256: sha256, bulletin_counts: counts, bulletin_revision: revision } = row;
  if (!sha256 || !counts || typeof revision !== "number") return null;
  return {
    sha256: Buffer.from(sha256).toString("hex"),
    counts: countsStored(counts),
    revision,
  };
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
