import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type Column, Table } from "./table.tsx";
import { count } from "./text/format.ts";

/** Rows at first. */
const SHOWN = 20;

type LongTableProps = {
  readonly label: string;
  /** Its style (tables.css). */
  readonly kind?: string;
  readonly columns: readonly Column[];
  readonly rows: readonly ComponentChildren[];
};

/** A long table, some rows at a time. */
export function LongTable({ label, kind, columns, rows }: LongTableProps) {
  const most = useSignal(SHOWN);
  return (
    <>
      <Table label={label} columns={columns} {...(kind !== undefined && { kind })}>
        {rows.slice(0, most.value)}
      </Table>
      {rows.length > most.value && (
        <div class="row">
          <button
            type="button"
            onClick={() => {
              most.value *= 5;
            }}
          >
            Show more
          </button>
          <span class="muted">
            {count(most.value)} of {count(rows.length)} rows
          </span>
        </div>
      )}
    </>
  );
}
