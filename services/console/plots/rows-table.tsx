import { LongTable } from "../ui/long-table.tsx";
import type { Table } from "./drawing.ts";

/** A list of an answer, beside its picture. */
export function RowsTable({ table: { label, heads, rows, texts } }: { readonly table: Table }) {
  const classOf = (column: number) => (column < texts ? "nowrap" : "number nowrap");
  return (
    <LongTable
      label={label}
      head={
        <thead>
          <tr>
            {heads.map((head, column) => (
              <th key={head} scope="col" class={classOf(column)}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
      }
      rows={rows.map((row, i) => (
        <tr key={i}>
          {row.map((cell, column) => (
            <td key={heads[column]} class={classOf(column)}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    />
  );
}
