import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Change } from "../../api/diff.ts";
import { boundsOf, surroundingsOf } from "../../model/bounds.ts";
import { columnsOfEvents } from "../../model/columns-of-events.ts";
import type { MapView } from "../../model/map-view.ts";
import { EventMap } from "../event-map.tsx";
import { ChangeRows } from "./change-rows.tsx";
import { kindClasses } from "./kinds.ts";

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
