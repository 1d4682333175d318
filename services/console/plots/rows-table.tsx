import { LongTable } from "../ui/long-table.tsx";
import type { Table } from "./drawing.ts";

/** A list of an answer, beside its picture. */
export function RowsTable({ table: { label, heads, rows, texts } }: { readonly table: Table }) {
  return (
    <LongTable
      label={label}
      columns={heads.map((head, column) => (column < texts ? head : { number: head }))}
      rows={rows.map((row, i) => (
        <tr key={i}>
          {row.map((cell, column) => (
            <td key={heads[column]} class={column < texts ? "nowrap" : "number nowrap"}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    />
  );
}
