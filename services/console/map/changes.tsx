import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Change, ChangeKind, SeismicEvent } from "../api/diff.ts";
import type { Classes } from "../drawing/classes.ts";
import { cssOf, GREY, KIND_COLOURS } from "../drawing/colours.ts";
import { boundsOf, type MapView, surroundingsOf } from "../model/bounds.ts";
import { columnsOfEvents } from "../model/event-columns.ts";
import { Table } from "../ui/table.tsx";
import { Aligned } from "../ui/text/aligned.tsx";
import { changedLines } from "../ui/text/attribute-names.ts";
import { UtcTime } from "../ui/text/moment.tsx";
import { Where } from "../ui/text/where.tsx";
import { EventMap } from "./event-map.tsx";

type ShownChangesProps = {
  readonly changes: readonly Change[];
  /** Where an event is seen; null where it cannot be seen yet. */
  readonly addressOf: (change: Change) => string | null;
};

/** Changes of events on a map and row by row; what is chosen in one is in both. */
export function ShownChanges({ changes, addressOf }: ShownChangesProps) {
  const columns = useMemo(
    () =>
      columnsOfEvents(
        0,
        changes.map(({ event }) => event),
      ),
    [changes],
  );
  const colours = useMemo(() => kindClasses(changes), [changes]);
  const selected = useSignal<number | null>(null);
  const box = useMemo(() => boundsOf(columns.latitude, columns.longitude, null), []);
  const view = useSignal<MapView | null>(box && surroundingsOf(box));
  if (changes.length === 0) return <p class="muted">None of these is shown.</p>;
  return (
    <div class="diff">
      <div class="diff-map">
        <EventMap columns={columns} selected={selected} view={view} colours={colours} />
      </div>
      <ChangeRows addressOf={addressOf} changes={changes} selected={selected} />
    </div>
  );
}

type ChangeRowsProps = {
  readonly changes: readonly Change[];
  /** Where an event is seen; null where it cannot be seen yet. */
  readonly addressOf: (change: Change) => string | null;
  readonly selected: Signal<number | null>;
};

/** Each change of an event in a row: what it was and what it is. */
function ChangeRows({ changes, addressOf, selected }: ChangeRowsProps) {
  return (
    <Table
      label="Changes"
      kind="compact changes"
      columns={[
        "Change",
        "Event, UTC",
        "Where",
        { number: "Mag." },
        { number: "Depth, km" },
        "From → to",
      ]}
    >
      {changes.map((change, n) => (
        <ChangeRow
          key={change.event.id}
          change={change}
          address={addressOf(change)}
          isChosen={selected.value === n}
          onChosen={() => (selected.value = n)}
        />
      ))}
    </Table>
  );
}

type ChangeRowProps = {
  readonly change: Change;
  readonly address: string | null;
  readonly isChosen: boolean;
  readonly onChosen: () => void;
};

function ChangeRow({ change: one, address, isChosen, onChosen }: ChangeRowProps) {
  const { change, event, before } = one;
  return (
    <tr class={isChosen ? "chosen" : undefined} onMouseEnter={onChosen} onFocusIn={onChosen}>
      <td>
        <span class="kind">
          <KindMark kind={change} />
          {change}
        </span>
      </td>
      <td class="nowrap">
        {address === null ? (
          <UtcTime at={event.time} length={19} />
        ) : (
          <Link href={address}>
            <UtcTime at={event.time} length={19} />
          </Link>
        )}
      </td>
      <td>
        <Where event={event} />
      </td>
      <td class="number">
        <Aligned value={event.magnitude} measure="magnitude" />
      </td>
      <td class="number">
        <Aligned value={event.depth} measure="depth" />
      </td>
      <td>{before && <Differing before={before} after={event} />}</td>
    </tr>
  );
}

type DifferingProps = { readonly before: SeismicEvent; readonly after: SeismicEvent };

/** The attributes that differ. */
function Differing({ before, after }: DifferingProps) {
  const texts = changedLines(before, after).map(
    ({ label, from, to }) => `${label} ${from} → ${to}`,
  );
  return <>{texts.join("; ")}</>;
}

/** A disc in the colour that the map has for a kind of changes; the word stands beside it. */
export function KindMark({ kind }: { readonly kind: ChangeKind }) {
  return (
    <svg class="kind-mark" viewBox="0 0 12 12" aria-hidden="true">
      <circle cx="6" cy="6" r="5" fill={cssOf(colourOf(kind))} />
    </svg>
  );
}

export const KINDS: readonly ChangeKind[] = ["added", "updated", "removed"];

function colourOf(kind: ChangeKind): (typeof KIND_COLOURS)[number] {
  return KIND_COLOURS[KINDS.indexOf(kind)] ?? GREY;
}

/** Changed events by what happened to them, for a map. */
function kindClasses(changes: readonly Change[]): Classes {
  return {
    title: "Change",
    isLocal: false,
    classes: KINDS.map((label) => ({ label, colour: colourOf(label) })),
    classOf: Uint8Array.from(changes, ({ change }) => KINDS.indexOf(change)),
  };
}
