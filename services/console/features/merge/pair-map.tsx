import type { Signal } from "@preact/signals";
import { useSignal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Classes } from "../../drawing/classes.ts";
import { GREY, KIND_COLOURS } from "../../drawing/colours.ts";
import { EventMap } from "../../map/event-map.tsx";
import { columnsOfEvents } from "../../model/columns-of-events.ts";
import type { Pair } from "./merge-body.ts";

type PairMapProps = {
  readonly pairs: readonly Pair[];
  /** The chosen pair's index; the map shows it alone. */
  readonly chosen: Signal<number | null>;
};

/** Both events of each pair, and the line between them. */
export function PairMap({ pairs, chosen }: PairMapProps) {
  const { value } = chosen;
  const one = value === null ? undefined : pairs[value];
  return (
    <div class="diff-map">
      {one === undefined ? (
        <Pairs pairs={pairs} onEvent={(event) => (chosen.value = Math.floor(event / 2))} />
      ) : (
        <Pairs key={value} pairs={[one]} />
      )}
    </div>
  );
}

type PairsProps = {
  readonly pairs: readonly Pair[];
  /** Told of an event that is clicked: twice its pair's index, and one more for the second. */
  readonly onEvent?: (event: number) => void;
};

function Pairs({ pairs, onEvent }: PairsProps) {
  const selected = useSignal<number | null>(null);
  useSignalEffect(() => {
    if (selected.value !== null) onEvent?.(selected.value);
  });
  const key = pairs.map(({ first }) => first.event_id).join();
  const drawing = useMemo(() => {
    const events = pairs.flatMap(({ first, second }) => [first, second]);
    return {
      columns: columnsOfEvents(
        0,
        events.map((event) => ({ ...event, id: event.event_id })),
      ),
      lines: pairs.map(({ first, second }) => [first, second] as const),
      colours: pairClasses(events.length),
    };
  }, [key]);
  return (
    <EventMap
      columns={drawing.columns}
      selected={selected}
      colours={drawing.colours}
      lines={drawing.lines}
    />
  );
}

function pairClasses(events: number): Classes {
  return {
    title: "Event of the pair",
    isLocal: false,
    classes: ["first", "second"].map((label, i) => ({ label, colour: KIND_COLOURS[i] ?? GREY })),
    classOf: Uint8Array.from({ length: events }, (_, i) => i % 2),
  };
}
