import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { ScrollArea } from "./scroll-area.tsx";
import { count } from "./text/format.ts";

/** Rows at first. */
const SHOWN = 20;

type LongTableProps = {
  readonly label: string;
  readonly heads: ComponentChildren;
  readonly rows: readonly ComponentChildren[];
};

/** A long table, some rows at a time. */
export function LongTable({ label, heads, rows }: LongTableProps) {
  const most = useSignal(SHOWN);
  return (
    <>
      <ScrollArea label={label}>
        <table>
          <thead>
            <tr>{heads}</tr>
          </thead>
          <tbody>{rows.slice(0, most.value)}</tbody>
        </table>
      </ScrollArea>
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
