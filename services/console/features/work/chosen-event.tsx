import type { Signal } from "@preact/signals";
import { Link } from "wouter-preact";
import { type EventColumns, locatedAt, timeAt } from "../../model/event-columns.ts";
import { given, magnitudeName } from "../../ui/text/digits.ts";
import { When } from "../../ui/text/moment.tsx";
import { useRegion } from "../../ui/text/where.tsx";

type ChosenEventProps = {
  readonly columns: EventColumns;
  readonly selected: Signal<number | null>;
  readonly addressOf: (index: number) => string;
};

/** The chosen event, and the way to its page. */
export function ChosenEvent({ columns, selected, addressOf }: ChosenEventProps) {
  const event = selected.value;
  const where = useRegion(event === null ? null : locatedAt(columns, event));
  if (event === null) return null;
  return (
    <div class="chosen-event" role="status">
      <span>
        <strong>{magnitudeName(columns.magnitude[event], null)[0]}</strong>
        {where !== null && ` · ${where}`} · {given(columns.depth[event], "depth")} km deep ·{" "}
        <When at={timeAt(columns, event)} length={19} />
      </span>
      <Link class="end nowrap" href={addressOf(event)}>
        Open the event
      </Link>
      <button
        type="button"
        class="plain sign"
        aria-label="Choose no event"
        onClick={() => (selected.value = null)}
      >
        ×
      </button>
    </div>
  );
}
