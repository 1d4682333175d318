import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { ScrollArea } from "./scroll-area.tsx";
import { count } from "./text/format.ts";

/** Rows at first. */
const SHOWN = 20;

type LongTableProps = {
  readonly label: string;
  /** A `thead`. */
  readonly head: ComponentChildren;
  readonly rows: readonly ComponentChildren[];
};

/** A long table, some rows at a time. */
export function LongTable({ label, head, rows }: LongTableProps) {
  const most = useSignal(SHOWN);
  return (
    <>
      <ScrollArea label={label}>
        <table>
          {head}
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
