import {
  ATTRIBUTE_NAMES,
  type ATTRIBUTES,
  type Attribute,
  type AttributeName,
  STRUCTURED_NAMES,
} from "./attributes.ts";
import type { BulletinCounts } from "./bulletin-counts.ts";

type ScalarOf<A extends Attribute> = A["kind"] extends "number" | "integer"
  ? number
  : A extends { values: readonly (infer V)[] }
    ? V
    : string;

type Scalars = {
  -readonly [N in AttributeName]: ScalarOf<(typeof ATTRIBUTES)[N]> | null;
};

/** What of a merged event may come from one member each. */
export const GIVEN_GROUPS = ["location", "magnitude", "mechanism"] as const;
export type GivenGroup = (typeof GIVEN_GROUPS)[number];

/** Provenance of a merged event: one entry per member of its group. */
export type SourceEvent = {
  catalogue_id: string;
  event_id: string;
  source_id: string | null;
  source: string;
  /** Seconds. */
  time_difference: number;
  /** Kilometres. */
  distance: number;
  quality_score: number;
  chosen: boolean;
  /** What the merged event has of this member, where that was chosen group by group; a mean is of none. */
  gave?: GivenGroup[] | undefined;
};

/** The same as it is shown: what names the member is null where its catalogue is not there for the reader. */
export type ShownSourceEvent = Omit<SourceEvent, "catalogue_id" | "event_id" | "source"> & {
  [N in "catalogue_id" | "event_id" | "source"]: string | null;
};

export type JsonObject = { [key: string]: JsonValue };
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** Whether a JSON value is an object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The data of one seismic event, without its identity. `time` is ISO 8601 UTC with `Z` and zero to
 * six fractional digits, exactly as given. Latitude and longitude are always present, other
 * attributes may be null. Units are those of ATTRIBUTES.
 */
export type SeismicEventRecord = Omit<Scalars, "latitude" | "longitude"> & {
  time: string;
  latitude: number;
  longitude: number;
  focal_mechanisms: JsonObject[] | null;
  extra: JsonObject | null;
  source_events: SourceEvent[] | null;
};

/** What an event with a bulletin tells of it; an event without one has neither member. */
export type BulletinMembers = { bulletin_sha256?: string; bulletin_counts?: BulletinCounts };

/** An event of a catalogue: `id` is ours and the same in all versions of the catalogue. */
export type SeismicEvent = { id: string } & SeismicEventRecord & BulletinMembers;

/** Readers copy this once per event, which is measurably faster than setting thirty members. */
const NOTHING_KNOWN = {
  time: "",
  ...(Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, null])) as Scalars),
  focal_mechanisms: null,
  extra: null,
  source_events: null,
};

/** A record with only the required origin; readers and tests start from it. */
export function emptyRecord(
  origin: Pick<SeismicEventRecord, "time" | "latitude" | "longitude">,
): SeismicEventRecord {
  return { ...NOTHING_KNOWN, ...origin };
}

export type RecordMember = keyof SeismicEventRecord;

/** All columns that events can have, in canonical order. */
export const COLUMN_NAMES: readonly RecordMember[] = [
  "time",
  ...ATTRIBUTE_NAMES,
  ...STRUCTURED_NAMES,
];

type RequiredName = "time" | "latitude" | "longitude";

/** A column has one value per row; a column without any value is absent. */
export type Columns = {
  readonly [N in RequiredName]: readonly SeismicEventRecord[N][];
} & {
  readonly [N in Exclude<RecordMember, RequiredName>]?: readonly SeismicEventRecord[N][];
};

/** Events stored by column: `length` rows. */
export type EventColumns = { readonly length: number; readonly columns: Columns };

type OpenColumns = { [N in RecordMember]?: SeismicEventRecord[N][] };

/** Collects records into columns. */
export function createColumnsBuilder() {
  let columns = openColumns();
  let length = 0;

  return {
    get length(): number {
      return length;
    },
    push(record: SeismicEventRecord): void {
      for (const name of COLUMN_NAMES) pushValue(columns, name, record[name], length);
      length++;
    },
    /** Returns the rows pushed so far and empties the builder. */
    take(): EventColumns {
      const rows = { length, columns };
      columns = openColumns();
      length = 0;
      return rows;
    },
  };
}

export function columnsOf(records: Iterable<SeismicEventRecord>): EventColumns {
  const builder = createColumnsBuilder();
  for (const record of records) builder.push(record);
  return builder.take();
}

/**
 * Row `index` as a record.
 * @throws RangeError for a row that does not exist
 */
export function rowAt({ length, columns }: EventColumns, index: number): SeismicEventRecord {
  const time = columns.time[index];
  const latitude = columns.latitude[index];
  const longitude = columns.longitude[index];
  if (time === undefined || latitude === undefined || longitude === undefined) {
    throw new RangeError(`row ${index} is not one of ${length}`);
  }
  const record = emptyRecord({ time, latitude, longitude });
  for (const name of COLUMN_NAMES) setValue(record, name, columns[name]?.[index]);
  return record;
}

function openColumns(): OpenColumns & { time: string[]; latitude: number[]; longitude: number[] } {
  return { time: [], latitude: [], longitude: [] };
}

function pushValue<N extends RecordMember>(
  columns: OpenColumns,
  name: N,
  value: SeismicEventRecord[N],
  length: number,
): void {
  let column = columns[name] as SeismicEventRecord[N][] | undefined;
  if (column === undefined) {
    if (value === null) return;
    column = new Array(length).fill(null);
    columns[name] = column as OpenColumns[N];
  }
  column.push(value);
}

function setValue<N extends RecordMember>(
  record: SeismicEventRecord,
  name: N,
  value: SeismicEventRecord[N] | undefined,
): void {
  if (value !== undefined) record[name] = value;
}
