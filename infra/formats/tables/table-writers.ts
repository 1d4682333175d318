import {
  type BulletinTable,
  columnsOfTable,
  type TableColumnKind,
} from "#contracts/bulletin/tables.ts";
import { parseTime, postgresMicros } from "#contracts/seismic-event/time.ts";
import { guardFormula } from "#contracts/text.ts";
import type { BinaryRow } from "../../postgres/copy/copied.ts";
import { type ColumnBatch, createColumnBatch, type Layout } from "../columnar/batch.ts";
import {
  type Column,
  categoryColumn,
  enlarged,
  flagColumn,
  integerColumn,
  numberColumn,
  textColumn,
  timeColumn,
} from "../columnar/columns.ts";
import { quoteField } from "../delimited/csv.ts";
import { memberHead } from "../json/writer.ts";
import type { Cell, TableRow } from "./table-rows.ts";

/** A writer of one table for one file: `begin`, a `row` for each, `end`. Keeps no rows. */
export type TableWriter = {
  readonly begin: () => string;
  readonly row: (row: TableRow) => string;
  readonly end: () => string;
};

const CRLF = "\r\n";

/** CSV (RFC 4180): a header, then a record for each row, as the export of events is written. */
export function createTableCsvWriter(table: BulletinTable): TableWriter {
  const columns = columnsOfTable(table);
  return {
    begin: () => columns.map(({ name }) => name).join() + CRLF,
    row: (row) => row.map((cell, i) => field(cell, columns[i]?.kind)).join() + CRLF,
    end: () => "",
  };
}

function field(cell: Cell, kind: TableColumnKind | undefined): string {
  if (cell === null) return "";
  const text = String(cell);
  return kind === "text" || kind === "category" ? quoteField(guardFormula(text)) : quoteField(text);
}

/** JSON: what `head` has, then `rows` with a row on a line, each an object with every column. */
export function createTableJsonWriter(table: BulletinTable, head: object): TableWriter {
  const heads = columnsOfTable(table).map(({ name }, i) => memberHead(name, i));
  let separator = "\n";
  return {
    begin: () => `${JSON.stringify(head).slice(0, -1)},"rows":[`,
    row(row) {
      const members = heads.map((name, i) => name + JSON.stringify(row[i] ?? null));
      const text = `${separator}{${members.join("")}}`;
      separator = ",\n";
      return text;
    },
    end: () => "\n]}\n",
  };
}

const FIRST_BYTES = 4 * 1024;
const NULL = -1;
const [LEAST_INTEGER, MOST_INTEGER] = [-(2 ** 31), 2 ** 31 - 1];

/**
 * Lays out rows of cells as PostgreSQL copies rows, which columns take. A row lends its place to the
 * next one. A time that is none, and an integer beyond 32 bits, is null.
 */
function createCellRow(kinds: readonly TableColumnKind[]) {
  const starts = new Int32Array(kinds.length);
  const lengths = new Int32Array(kinds.length);
  let bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let view = new DataView(bytes.buffer);
  let end = 0;

  function reserve(count: number): number {
    const start = end;
    end += count;
    if (end > bytes.length) {
      bytes = enlarged(bytes, start, end);
      view = new DataView(bytes.buffer);
    }
    return start;
  }

  /** Writes a cell; its bytes, or NULL. */
  function write(kind: TableColumnKind, cell: Exclude<Cell, null>): number {
    switch (kind) {
      case "number":
        view.setFloat64(reserve(8), cell as number);
        return 8;
      case "integer":
        if ((cell as number) < LEAST_INTEGER || (cell as number) > MOST_INTEGER) return NULL;
        view.setInt32(reserve(4), cell as number);
        return 4;
      case "flag":
        view.setUint8(reserve(1), cell === true ? 1 : 0);
        return 1;
      case "time": {
        const time = parseTime(cell as string);
        if (time === null) return NULL;
        view.setBigInt64(reserve(8), postgresMicros(time));
        return 8;
      }
      case "text":
      case "category": {
        const length = Buffer.byteLength(cell as string);
        bytes.write(cell as string, reserve(length));
        return length;
      }
    }
  }

  return {
    rowOf(cells: TableRow): BinaryRow {
      end = 0;
      for (let i = 0; i < kinds.length; i += 1) {
        const cell = cells[i] ?? null;
        starts[i] = end;
        lengths[i] = cell === null ? NULL : write(kinds[i] as TableColumnKind, cell);
      }
      return { bytes, view, starts, lengths };
    },
  };
}

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
  return { columns, points: null };
}

export type TableBatch = Omit<ColumnBatch, "add"> & {
  readonly add: (row: TableRow) => void;
};

/** @param capacity most rows */
export function createTableBatch(capacity: number, table: BulletinTable): TableBatch {
  const kinds = columnsOfTable(table).map(({ kind }) => kind);
  const cells = createCellRow(kinds);
  const columns = kinds.map((kind) => CREATE[kind](capacity));
  const batch = createColumnBatch(capacity, columns);
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
