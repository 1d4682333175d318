import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import { type BulletinReference, storedCounts } from "#contracts/bulletin/bulletin-summary.ts";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type AttributeKind,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import type { ColumnName, EventColumns } from "#contracts/seismic-event/event-columns.ts";
import { fractionDigits, postgresMicros } from "#contracts/seismic-event/origin-time.ts";
import type { ChunkRows } from "#infra/event-log/chunk-codec.ts";
import { binaryCopyStream, type CopyBlock } from "#infra/postgres/copy/binary-copy.ts";
import {
  byteaField,
  type CopyField,
  float8Field,
  int2Field,
  int4Field,
  int4ListField,
  jsonField,
  nullField,
  sameInEveryRow,
  textField,
  timestamptzField,
} from "#infra/postgres/copy/copy-fields.ts";
import type { Transaction } from "../engine/projection.ts";

/** Rows to copy: events by column, with their ids. */
export type RowSource = { readonly events: ChunkRows; readonly ids: CopyField };

const KEY_COLUMNS = ["catalogue_key", "revision_from", "event_id", "time", "time_digits"];
const BULLETIN_COLUMNS = ["bulletin_revision", "bulletin_sha256", "bulletin_counts"];
const COLUMNS = [...KEY_COLUMNS, ...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES, ...BULLETIN_COLUMNS];
const STATEMENT = `copy seismic_events (${COLUMNS.join(", ")}) from stdin (format binary)`;

/**
 * Copies rows that begin with `revision` into the table seismic_events, in one COPY. They are sorted
 * by origin time first, so that events close in time are close on disk, where pages, narrow queries
 * and exports read them together (infra/decisions/0030).
 */
export async function copySeismicEvents(
  { client }: Pick<Transaction, "client">,
  catalogueKey: number,
  revision: number,
  sources: Iterable<RowSource>,
): Promise<void> {
  // Before the COPY begins: a fault in a chunk would leave the connection waiting for rows.
  const rows = inOrderOfTime(catalogueKey, revision, [...sources]);
  const copy = client.query(copyFrom(STATEMENT));
  await pipeline(binaryCopyStream([rows]), copy);
}

/** The rows for COPY, sorted by origin time, with fields in the order of COLUMNS. */
export function inOrderOfTime(
  catalogueKey: number,
  revision: number,
  sources: readonly RowSource[],
): CopyBlock {
  const blocks = sources.map((source) => blockOf(catalogueKey, revision, source));
  const places = blocks.flatMap(({ times }, block) =>
    times.map((time, row) => ({ time: Number(time), block, row })),
  );
  places.sort((a, b) => a.time - b.time);
  const fields = COLUMNS.map(
    (_, column): CopyField =>
      (buffer, i) => {
        const { block, row } = places[i] as (typeof places)[number];
        blocks[block]?.fields[column]?.(buffer, row);
      },
  );
  return { length: places.length, fields };
}

type TimedBlock = CopyBlock & { readonly times: readonly bigint[] };

function blockOf(catalogueKey: number, revision: number, { events, ids }: RowSource): TimedBlock {
  const { length, columns } = events;
  const keys = [catalogueKey, revision].map((key) => sameInEveryRow(int4Field([key])));
  const times = columns.time.map(postgresMicros);
  const fields = [
    ...keys,
    ids,
    timestamptzField(times),
    int2Field(columns.time.map(fractionDigits)),
    ...ATTRIBUTE_NAMES.map((name) => fieldOf(events, name, FIELDS[ATTRIBUTES[name].kind])),
    ...STRUCTURED_NAMES.map((name) => fieldOf(events, name, jsonField)),
    ...bulletinFields(revision, events.bulletins),
  ];
  return { length, fields, times };
}

/** In the order of BULLETIN_COLUMNS. */
function bulletinFields(
  revision: number,
  bulletins: readonly (BulletinReference | null)[] | undefined,
): CopyField[] {
  if (bulletins === undefined) return BULLETIN_COLUMNS.map(() => nullField);
  return [
    int4Field(bulletins.map((of) => of && (of.revision ?? revision))),
    byteaField(bulletins.map((of) => of && Buffer.from(of.sha256, "hex"))),
    int4ListField(bulletins.map((of) => of && storedCounts(of.counts))),
  ];
}

type FieldMaker = (values: readonly never[]) => CopyField;

const FIELDS: Readonly<Record<AttributeKind, FieldMaker>> = {
  number: float8Field,
  integer: int4Field,
  text: textField,
  enumeration: textField,
};

/** An absent column is null in every row. */
function fieldOf({ columns }: EventColumns, name: ColumnName, field: FieldMaker): CopyField {
  const values = columns[name];
  // The type of the values follows from the attribute's kind in ATTRIBUTES.
  return values === undefined ? nullField : field(values as readonly never[]);
}
