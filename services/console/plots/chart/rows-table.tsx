import { LongTable } from "../../ui/long-table.tsx";
import type { Table } from "./drawing.ts";

/** Lists of an answer, beside its picture: each with its name. */
export function RowsTables({ tables }: { readonly tables: readonly Table[] }) {
  return (
    <div class="stack rows">
      {tables.map((table) => (
        <RowsTable key={table.label} table={table} />
      ))}
    </div>
  );
}

function RowsTable({ table: { label, heads, rows, texts } }: { readonly table: Table }) {
  return (
    <>
      <h3>{label}</h3>
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
    </>
  );
}
