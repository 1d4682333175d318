import { ATTRIBUTES, type AttributeKind } from "#contracts/seismic-event/attributes.ts";
import type { BinaryRow } from "../../postgres/copy/binary-rows.ts";
import { EXPORT_FIELDS, type ExportField, FIELD } from "../format-writer.ts";
import {
  type Column,
  categoryColumn,
  integerColumn,
  numberColumn,
  textColumn,
  timeColumn,
  uuidColumn,
} from "./columns.ts";
import { createPoints, type Points } from "./points.ts";

export type EventBatch = {
  readonly length: number;
  /** In the order of EVENT_COLUMNS. */
  readonly columns: readonly Column[];
  readonly points: Points;
  /** @param row whose first fields are those of EXPORT_FIELDS */
  readonly add: (row: BinaryRow) => void;
  readonly isFull: () => boolean;
  /** Makes room for the next events. */
  readonly clear: () => void;
};

/** Of the rows as they were copied: long texts make smaller batches. */
const BATCH_BYTES = 16 * 1024 * 1024;

/** @param capacity most events */
export function createEventBatch(capacity: number): EventBatch {
  const columns = EXPORT_FIELDS.map((name) => CREATE[KINDS[name]](capacity));
  const points = createPoints(capacity);
  const last = columns.length - 1;
  let length = 0;
  let bytes = 0;

  return {
    get length() {
      return length;
    },
    columns,
    points,
    add(row) {
      for (let i = 0; i <= last; i += 1) columns[i]?.add(length, row, i);
      const { view, starts, lengths } = row;
      const isDeep = (lengths[FIELD.depth] as number) >= 0;
      points.add(
        view.getFloat64(starts[FIELD.longitude] as number),
        view.getFloat64(starts[FIELD.latitude] as number),
        isDeep ? view.getFloat64(starts[FIELD.depth] as number) : null,
      );
      length += 1;
      bytes += (starts[last] as number) + (lengths[last] as number) - (starts[0] as number);
    },
    isFull: () => length === capacity || bytes >= BATCH_BYTES,
    clear() {
      for (const column of columns) column.clear();
      points.clear();
      length = 0;
      bytes = 0;
    },
  };
}

type ValueKind = AttributeKind | "id" | "time" | "identifier" | "structure";

const CREATE: Readonly<Record<ValueKind, (capacity: number) => Column>> = {
  id: uuidColumn,
  time: timeColumn,
  number: numberColumn,
  integer: integerColumn,
  text: categoryColumn,
  enumeration: categoryColumn,
  identifier: textColumn,
  structure: textColumn,
};

const KINDS: Readonly<Record<ExportField, ValueKind>> = {
  ...(Object.fromEntries(
    Object.entries(ATTRIBUTES).map(([name, { kind }]) => [name, kind]),
  ) as Record<keyof typeof ATTRIBUTES, AttributeKind>),
  id: "id",
  time: "time",
  // No two events of a catalogue have the same.
  source_id: "identifier",
  focal_mechanisms: "structure",
  extra: "structure",
  source_events: "structure",
};

/** The columns of a batch; those that are required never have nulls. */
export const EVENT_COLUMNS = EXPORT_FIELDS.map((name) => ({
  name,
  kind: CREATE[KINDS[name]](0).kind,
  isRequired: ["id", "time", "latitude", "longitude"].includes(name),
}));
