import {
  type BulletinTable,
  columnsOfTable,
  type TableColumnKind,
} from "#contracts/bulletin/table-columns.ts";
import type { TableRow } from "../bulletin/table-rows.ts";
import { type ColumnBatch, createColumnBatch, type Layout } from "../columnar/column-batch.ts";
import {
  type Column,
  categoryColumn,
  flagColumn,
  integerColumn,
  numberColumn,
  textColumn,
  timeColumn,
} from "../columnar/columns.ts";
import { createCellRow } from "./cell-row.ts";

const CREATE: Readonly<Record<TableColumnKind, (capacity: number) => Column>> = {
  text: textColumn,
  category: categoryColumn,
  number: numberColumn,
  integer: integerColumn,
  time: timeColumn,
  flag: flagColumn,
};

/** The columns of a table of bulletins. */
export function tableLayout(table: BulletinTable): Layout {
  const columns = columnsOfTable(table).map(({ name, kind, isRequired = false }) => ({
    name,
    kind,
    isRequired,
  }));
  return { columns, hasPoints: false };
}

export type TableBatch = Omit<ColumnBatch, "add"> & {
  readonly add: (row: TableRow) => void;
};

/** @param capacity most rows */
export function createTableBatch(capacity: number, table: BulletinTable): TableBatch {
  const kinds = columnsOfTable(table).map(({ kind }) => kind);
  const cells = createCellRow(kinds);
  const columns = kinds.map((kind) => CREATE[kind](capacity));
  const batch = createColumnBatch(capacity, { columns });
  const { points, isFull, clear } = batch;
  return {
    get length() {
      return batch.length;
    },
    columns,
    points,
    add: (row) => batch.add(cells.rowOf(row)),
    isFull,
    clear,
  };
}
