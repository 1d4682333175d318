import type { BinaryRow } from "../../postgres/copy/binary-rows.ts";
import type { Column } from "./columns.ts";
import type { Points } from "./points.ts";

/** The columns of a file; those that are required never have nulls. */
export type Layout = {
  readonly columns: readonly {
    readonly name: string;
    readonly kind: Column["kind"];
    readonly isRequired: boolean;
  }[];
  /** Whether each row has a point, in a column after the others. */
  readonly hasPoints: boolean;
};

/** Rows by column, in the order of a layout. */
export type ColumnBatch = {
  readonly length: number;
  readonly columns: readonly Column[];
  /** Null where the layout has none. */
  readonly points: Points | null;
  /** @param row whose first fields are those of the columns */
  readonly add: (row: BinaryRow) => void;
  readonly isFull: () => boolean;
  /** Makes room for the next rows. */
  readonly clear: () => void;
};

type Parts = {
  readonly columns: readonly Column[];
  readonly points?: Points;
  readonly addPoint?: (row: BinaryRow) => void;
};

/** Of the rows as they were copied: long texts make smaller batches. */
const BATCH_BYTES = 16 * 1024 * 1024;

/** @param capacity most rows, also of the columns */
export function createColumnBatch(
  capacity: number,
  { columns, points, addPoint }: Parts,
): ColumnBatch {
  const last = columns.length - 1;
  let length = 0;
  let bytes = 0;

  return {
    get length() {
      return length;
    },
    columns,
    points: points ?? null,
    add(row) {
      for (let i = 0; i <= last; i += 1) columns[i]?.add(length, row, i);
      addPoint?.(row);
      const { starts, lengths } = row;
      length += 1;
      bytes += (starts[last] as number) + (lengths[last] as number) - (starts[0] as number);
    },
    isFull: () => length === capacity || bytes >= BATCH_BYTES,
    clear() {
      for (const column of columns) column.clear();
      points?.clear();
      length = 0;
      bytes = 0;
    },
  };
}
