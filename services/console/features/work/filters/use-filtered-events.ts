import { useMemo } from "preact/hooks";
import type { EventColumns } from "../../../model/event-columns.ts";
import { passing } from "./local-filter.ts";
import type { SeenFilters } from "./use-filters.ts";

/** Indexes of events, ascending; null for all. */
export type FilteredEvents = {
  /** On the map. */
  readonly indexes: Uint32Array | null;
  /** Counted, listed and drawn beside the map: also inside its box, where that is asked for. */
  readonly listed: Uint32Array | null;
};

/** The events that pass the filters. */
export function useFilteredEvents(
  columns: EventColumns | null,
  { outsideMap, all }: SeenFilters,
): FilteredEvents {
  const indexes = useMemo(() => columns && passing(columns, outsideMap), [columns, outsideMap]);
  const listed = useMemo(
    () => (all === outsideMap || columns === null ? indexes : passing(columns, all)),
    [columns, outsideMap, all, indexes],
  );
  return { indexes, listed };
}
