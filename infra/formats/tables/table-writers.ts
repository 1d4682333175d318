import {
  type BulletinTable,
  columnsOfTable,
  type TableColumnKind,
} from "#contracts/bulletin/table-columns.ts";
import { guardFormula } from "#contracts/formula-guard.ts";
import type { Cell, TableRow } from "../bulletin/table-rows.ts";
import { quoteField } from "../delimited/csv-writer.ts";
import { memberHead } from "../json/json-writer.ts";

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
