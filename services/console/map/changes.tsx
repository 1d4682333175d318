import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Change, ChangeKind } from "../api/diff.ts";
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

/** Changes of events on a map and row by row, what it was and what it is; what is chosen in one is in both. */
export function ShownChanges({ changes, addressOf }: ShownChangesProps) {
  const events = useMemo(() => changes.map(({ event }) => event), [changes]);
  const columns = useMemo(() => columnsOfEvents(0, events), [events]);
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
      <Table
        label="Changes"
        kind="compact changes"
        rows={changes}
        keyOf={({ event }) => event.id}
        rowAttributes={(_, n) => ({
          class: selected.value === n ? "chosen" : undefined,
          onMouseEnter: () => (selected.value = n),
          onFocusIn: () => (selected.value = n),
        })}
        columns={[
          ["Change", ({ change }) => <Kind kind={change} />],
          [
            "Event, UTC",
            (change) => {
              const address = addressOf(change);
              const time = <UtcTime at={change.event.time} length={19} />;
              return address === null ? time : <Link href={address}>{time}</Link>;
            },
            "nowrap",
          ],
          ["Where", ({ event }) => <Where event={event} />],
          [
            "Mag.",
            ({ event }) => <Aligned value={event.magnitude} measure="magnitude" />,
            "number",
          ],
          ["Depth, km", ({ event }) => <Aligned value={event.depth} measure="depth" />, "number"],
          ["From → to", toldDifferences],
        ]}
      />
    </div>
  );
}

/** The attributes that differ; nothing where there was no event before. */
export function toldDifferences({ before, event }: Change): string {
  if (!before) return "";
  return changedLines(before, event)
    .map(({ label, from, to }) => `${label} ${from} → ${to}`)
    .join("; ");
}

export function Kind({ kind }: { readonly kind: ChangeKind }) {
  return (
    <span class="kind">
      <KindMark kind={kind} />
      {kind}
    </span>
  );
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
    classes: KINDS.map((label) => ({ label, colour: colourOf(label) })),
    classOf: Uint8Array.from(changes, ({ change }) => KINDS.indexOf(change)),
  };
}
