import { useMemo } from "preact/hooks";
import type { Bounds } from "../model/bounds.ts";
import { isIn } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import { events } from "../ui/text/format.ts";

type OutsideNoteProps = {
  readonly columns: EventColumns;
  /** Indexes of the events that are shown; null for all. */
  readonly indexes: Uint32Array | null;
  /** What the map shows. */
  readonly bounds: Bounds | null;
  readonly onAll: () => void;
};

/** How many events the map leaves out that was fitted to almost all of them. */
export function OutsideNote({ columns, indexes, bounds, onAll }: OutsideNoteProps) {
  const outside = useMemo(
    () => (bounds ? countOutside(columns, indexes, bounds) : 0),
    [columns, indexes, bounds],
  );
  if (outside === 0) return null;
  return (
    <div class="map-outside map-chip">
      {events(outside)} outside the map
      <button type="button" class="plain" onClick={onAll}>
        Show all
      </button>
    </div>
  );
}

function countOutside(
  { latitude, longitude, count }: EventColumns,
  indexes: Uint32Array | null,
  box: Bounds,
): number {
  let outside = 0;
  for (let n = 0; n < (indexes ? indexes.length : count); n++) {
    const i = indexes ? (indexes[n] ?? 0) : n;
    if (!isIn(box, { latitude: latitude[i] ?? 0, longitude: longitude[i] ?? 0 })) outside++;
  }
  return outside;
}
