import { ATTRIBUTES, type AttributeKind } from "#contracts/seismic-event/attributes.ts";
import { EXPORT_FIELDS, type ExportField, FIELD } from "../format-writer.ts";
import { type ColumnBatch, createColumnBatch, type Layout } from "./column-batch.ts";
import {
  type Column,
  categoryColumn,
  integerColumn,
  numberColumn,
  textColumn,
  timeColumn,
  uuidColumn,
} from "./columns.ts";
import { createPoints } from "./points.ts";

/** @param capacity most events */
export function createEventBatch(capacity: number): ColumnBatch {
  const columns = EXPORT_FIELDS.map((name) => CREATE[KINDS[name]](capacity));
  const points = createPoints(capacity);
  return createColumnBatch(capacity, {
    columns,
    points,
    addPoint({ view, starts, lengths }) {
      const isDeep = (lengths[FIELD.depth] as number) >= 0;
      points.add(
        view.getFloat64(starts[FIELD.longitude] as number),
        view.getFloat64(starts[FIELD.latitude] as number),
        isDeep ? view.getFloat64(starts[FIELD.depth] as number) : null,
      );
    },
  });
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

/** The columns of events, each with its point. */
export const EVENT_LAYOUT: Layout = {
  columns: EXPORT_FIELDS.map((name) => ({
    name,
    kind: CREATE[KINDS[name]](0).kind,
    isRequired: ["id", "time", "latitude", "longitude"].includes(name),
  })),
  hasPoints: true,
};
