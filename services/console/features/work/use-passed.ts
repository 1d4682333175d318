import { useMemo } from "preact/hooks";
import type { EventColumns } from "../../model/event-columns.ts";
import { passing } from "./local-filter.ts";
import type { SeenFilters } from "./use-filters.ts";

/** Indexes of events, ascending; null for all. */
export type Passed = {
  /** On the map. */
  readonly shown: Uint32Array | null;
  /** Counted, listed and drawn beside the map: also inside its box, where that is asked for. */
  readonly listed: Uint32Array | null;
};

/** The events that pass the filters. */
export function usePassed(columns: EventColumns | null, { given, all }: SeenFilters): Passed {
  const shown = useMemo(() => columns && passing(columns, given), [columns, given]);
  const listed = useMemo(
    () => (all === given || columns === null ? shown : passing(columns, all)),
    [columns, given, all, shown],
  );
  return { shown, listed };
}
