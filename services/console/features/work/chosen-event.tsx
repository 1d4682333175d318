import type { Signal } from "@preact/signals";
import { Link } from "wouter-preact";
import { type EventColumns, timeAt } from "../../model/event-columns.ts";
import { decimal } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";

type ChosenEventProps = {
  readonly columns: EventColumns;
  readonly selected: Signal<number | null>;
  readonly addressOf: (index: number) => string;
};

/** The chosen event, and the way to its page. */
export function ChosenEvent({ columns, selected, addressOf }: ChosenEventProps) {
  const event = selected.value;
  if (event === null) return null;
  return (
    <div class="row chosen-event" role="status">
      <span>
        <strong>M {decimal(columns.magnitude[event], 1)}</strong>{" "}
        <UtcTime at={timeAt(columns, event)} length={19} /> UTC, {decimal(columns.depth[event], 1)}{" "}
        km
      </span>
      <Link class="end" href={addressOf(event)}>
        Open the event
      </Link>
      <button
        type="button"
        class="plain"
        aria-label="Choose no event"
        onClick={() => (selected.value = null)}
      >
        ×
      </button>
    </div>
  );
}
