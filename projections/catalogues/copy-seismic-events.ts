import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type AttributeKind,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import type { ColumnName, EventColumns } from "#contracts/seismic-event/event-columns.ts";
import { fractionDigits, postgresMicros } from "#contracts/seismic-event/origin-time.ts";
import { binaryCopyStream, type CopyBlock } from "#infra/postgres/binary-copy.ts";
import {
  type CopyField,
  float8Field,
  int2Field,
  int4Field,
  jsonField,
  nullField,
  sameInEveryRow,
  textField,
  timestamptzField,
} from "#infra/postgres/copy-fields.ts";
import type { Transaction } from "../projection.ts";

/** Rows to copy: events by column, and the id of each. */
export type RowSource = { readonly events: EventColumns; readonly ids: CopyField };

const KEY_COLUMNS = ["catalogue_key", "revision_from", "event_id", "time", "time_digits"];
const COLUMNS = [...KEY_COLUMNS, ...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES];
const STATEMENT = `copy seismic_events (${COLUMNS.join(", ")}) from stdin (format binary)`;

/** Copies rows that begin with `revision` into the table seismic_events, in one COPY. */
export async function copySeismicEvents(
  transaction: Transaction,
  catalogueKey: number,
  revision: number,
  sources: Iterable<RowSource>,
): Promise<void> {
  const copy = transaction.query(copyFrom(STATEMENT));
  await pipeline(binaryCopyStream(copyBlocks(catalogueKey, revision, sources)), copy);
}

/** The rows as COPY takes them; the fields are in the order of COLUMNS. */
export function* copyBlocks(
  catalogueKey: number,
  revision: number,
  sources: Iterable<RowSource>,
): Generator<CopyBlock> {
  const keys = [catalogueKey, revision].map((key) => sameInEveryRow(int4Field([key])));
  for (const { events, ids } of sources) {
    const { length, columns } = events;
    const times = [
      timestamptzField(columns.time.map(postgresMicros)),
      int2Field(columns.time.map(fractionDigits)),
    ];
    const attributes = ATTRIBUTE_NAMES.map((name) =>
      fieldOf(events, name, FIELDS[ATTRIBUTES[name].kind]),
    );
    const structures = STRUCTURED_NAMES.map((name) => fieldOf(events, name, jsonField));
    yield { length, fields: [...keys, ids, ...times, ...attributes, ...structures] };
  }
}

type FieldMaker = (values: readonly never[]) => CopyField;

const FIELDS: Readonly<Record<AttributeKind, FieldMaker>> = {
  number: float8Field,
  integer: int4Field,
  text: textField,
  enumeration: textField,
};

/** A column that is absent is null in every row. */
function fieldOf({ columns }: EventColumns, name: ColumnName, field: FieldMaker): CopyField {
  const values = columns[name];
  // The kind of an attribute tells the type of its values, by ATTRIBUTES.
  return values === undefined ? nullField : field(values as readonly never[]);
}
