import { useSignal } from "@preact/signals";
import { LongTable } from "../../ui/long-table.tsx";
import { given } from "../../ui/text/digits.ts";
import { decimal, time } from "../../ui/text/format.ts";
import { tooltipOf } from "../../ui/text/moment.tsx";
import { Where } from "../../ui/text/where.tsx";
import { MemberName } from "./member-name.tsx";
import type { Pair, Source } from "./merge-body.ts";
import { offsetText } from "./offset.ts";
import { PairMap } from "./pair-map.tsx";

type AmbiguousPairsProps = {
  readonly pairs: readonly Pair[];
  readonly sources: readonly Source[];
};

const COLUMNS = [
  "Time, UTC",
  "Where",
  "First",
  "Second",
  { number: "Δt, s" },
  { number: "Shift", title: "From the first event to the second" },
  { number: "Depths, km" },
  { number: "Magnitudes" },
  { number: "ΔM" },
];

/** Pairs that a person should look at, in rows and on a map. */
export function AmbiguousPairs({ pairs, sources }: AmbiguousPairsProps) {
  const chosen = useSignal<number | null>(null);
  if (pairs.length === 0) return <p>There are no doubtful pairs.</p>;
  return (
    <>
      <p class="muted">
        Pairs that stay apart although they are within one and a half times the thresholds, and
        pairs that become one although their magnitudes differ by more than 1.
      </p>
      <PairMap pairs={pairs} chosen={chosen} />
      {chosen.value !== null && (
        <div class="row">
          <button type="button" onClick={() => (chosen.value = null)}>
            Show all pairs
          </button>
        </div>
      )}
      <LongTable
        label="Ambiguous pairs"
        columns={COLUMNS}
        rows={pairs.map((pair, index) => (
          <PairRow
            key={`${pair.first.event_id} ${pair.second.event_id}`}
            pair={pair}
            sources={sources}
            isChosen={chosen.value === index}
            onChosen={() => (chosen.value = index)}
          />
        ))}
      />
    </>
  );
}

type PairRowProps = {
  readonly pair: Pair;
  readonly sources: readonly Source[];
  readonly isChosen: boolean;
  readonly onChosen: () => void;
};

function PairRow({ pair, sources, isChosen, onChosen }: PairRowProps) {
  const { first, second } = pair;
  return (
    <tr class={isChosen ? "chosen" : undefined}>
      <td class="nowrap">
        <button
          type="button"
          class="plain link"
          aria-pressed={isChosen}
          title={`Show it on the map\n${tooltipOf(first.time)}`}
          onClick={onChosen}
        >
          {time(first.time).slice(0, 19)}
        </button>
      </td>
      <td>
        <Where event={first} />
      </td>
      <td>
        <MemberName member={first} sources={sources} />
      </td>
      <td>
        <MemberName member={second} sources={sources} />
      </td>
      <td class="number">{decimal(pair.time_difference, 2)}</td>
      <td class="number nowrap">{offsetText(first, second, pair.distance)}</td>
      <td class="number nowrap">
        {given(first.depth, "depth")}, {given(second.depth, "depth")}
      </td>
      <td class="number nowrap">
        {given(first.magnitude, "magnitude")}, {given(second.magnitude, "magnitude")}
      </td>
      <td class="number">{decimal(pair.magnitude_difference, 2)}</td>
    </tr>
  );
}
