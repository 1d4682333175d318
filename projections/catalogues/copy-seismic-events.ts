import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type AttributeKind,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import type { EventColumns } from "#contracts/seismic-event/event-columns.ts";
import { fractionDigits, postgresMicros } from "#contracts/seismic-event/origin-time.ts";
import { binaryCopyStream, type CopyRow } from "#infra/postgres/binary-copy.ts";
import type { CopyType } from "#infra/postgres/copy-fields.ts";
import type { Transaction } from "../projection.ts";

/** Rows to copy: events by column, and the id of each. */
export type RowSource = {
  readonly events: EventColumns;
  readonly idOf: (index: number) => string;
};

const COPY_TYPE: Record<AttributeKind, CopyType> = {
  number: "float8",
  integer: "int4",
  text: "text",
  enumeration: "text",
};

/** What every row has besides its attributes, in the order of the COPY statement. */
const KEY_COLUMNS = {
  catalogue_key: "int4",
  revision_from: "int4",
  event_id: "uuid",
  time: "timestamptz",
  time_digits: "int2",
} as const satisfies Record<string, CopyType>;

const KEY_COUNT = Object.keys(KEY_COLUMNS).length;

const COLUMNS = [...Object.keys(KEY_COLUMNS), ...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES];

const TYPES: readonly CopyType[] = [
  ...Object.values(KEY_COLUMNS),
  ...ATTRIBUTE_NAMES.map((name) => COPY_TYPE[ATTRIBUTES[name].kind]),
  ...STRUCTURED_NAMES.map(() => "json" as const),
];

const STATEMENT = `copy seismic_events (${COLUMNS.join(", ")}) from stdin (format binary)`;

/** Copies rows that begin with `revision` into the table seismic_events, in one COPY. */
export async function copySeismicEvents(
  transaction: Transaction,
  catalogueKey: number,
  revision: number,
  sources: Iterable<RowSource>,
): Promise<void> {
  const rows = rowsOf(catalogueKey, revision, sources);
  const copy = transaction.query(copyFrom(STATEMENT));
  await pipeline(binaryCopyStream(TYPES, rows), copy);
}

/** One array serves all rows: the encoder has read it when the next is asked for. */
function* rowsOf(
  catalogueKey: number,
  revision: number,
  sources: Iterable<RowSource>,
): Generator<CopyRow<readonly CopyType[]>> {
  const row: unknown[] = new Array(COLUMNS.length).fill(null);
  row[0] = catalogueKey;
  row[1] = revision;
  for (const { events, idOf } of sources) {
    const attributes = ATTRIBUTE_NAMES.map((name) => events.columns[name]);
    const structures = STRUCTURED_NAMES.map((name) => events.columns[name]);
    for (let i = 0; i < events.length; i += 1) {
      const time = timeAt(events, i);
      row[2] = idOf(i);
      row[3] = postgresMicros(time);
      row[4] = fractionDigits(time);
      let at = KEY_COUNT;
      for (const column of attributes) row[at++] = column?.[i] ?? null;
      for (const column of structures) row[at++] = jsonOf(column?.[i]);
      // The types above and the record's own agree by ATTRIBUTES; the encoder checks each value.
      yield row as unknown as CopyRow<readonly CopyType[]>;
    }
  }
}

function timeAt({ columns, length }: EventColumns, index: number): string {
  const time = columns.time[index];
  if (time === undefined) throw new RangeError(`row ${index} is not one of ${length}`);
  return time;
}

function jsonOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
