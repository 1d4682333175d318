import type { Signal } from "@preact/signals";
import { Link } from "wouter-preact";
import type { EventColumns } from "../../api/columns.ts";
import { decimal, time } from "../../ui/format.ts";

type ChosenEventProps = {
  readonly columns: EventColumns;
  readonly selected: Signal<number | null>;
  readonly addressOf: (index: number) => string;
};

/** The chosen event, and the way to its page. */
export function ChosenEvent({ columns, selected, addressOf }: ChosenEventProps) {
  const event = selected.value;
  if (event === null) return null;
  const at = new Date(columns.time[event] ?? 0).toISOString();
  return (
    <div class="row chosen-event" role="status">
      <span>
        <strong>M {decimal(columns.magnitude[event], 1)}</strong> {time(at).slice(0, 19)} UTC,{" "}
        {decimal(columns.depth[event], 1)} km
      </span>
      <Link class="end" href={addressOf(event)}>
        Open the event
      </Link>
      <button
        type="button"
        class="plain"
        aria-label="Choose no event"
        onClick={() => {
          selected.value = null;
        }}
      >
        ×
      </button>
    </div>
  );
}
