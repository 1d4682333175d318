import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Bounds } from "../../model/bounds.ts";
import type { FilterValues } from "../../model/filters.ts";
import type { WorkState } from "../../model/work-state.ts";
import { withinMap } from "./map-box.ts";

/** Both ends, ISO 8601; null for all times. */
export type TimeRange = readonly [start: string, end: string] | null;

export type SeenFilters = {
  /** What the map shows; null until it is drawn. */
  readonly bounds: Signal<Bounds | null>;
  /** A range of time while it is dragged or played, before the address has it. */
  readonly moving: Signal<TimeRange | undefined>;
  /** The filters without the box of the map. */
  readonly outsideMap: FilterValues;
  /** The filters of everything that is counted, listed, drawn beside the map and exported. */
  readonly all: FilterValues;
};

/** The filters of the address, with what is moved at this moment. */
export function useFilters({ filters, inMap }: WorkState): SeenFilters {
  const bounds = useSignal<Bounds | null>(null);
  const moving = useSignal<TimeRange | undefined>(undefined);
  const key = JSON.stringify(filters);
  const range = moving.value;
  const outsideMap = useMemo(
    () => (range === undefined ? filters : withRange(filters, range)),
    [key, range],
  );
  const box = inMap ? bounds.value : null;
  const all = useMemo(() => withinMap(outsideMap, box), [outsideMap, box]);
  return { bounds, moving, outsideMap, all };
}

/** The filters with another range of time. */
export function withRange(filters: FilterValues, range: TimeRange): FilterValues {
  const { startTime: _start, endTime: _end, ...others } = filters;
  return range ? { ...others, startTime: range[0], endTime: range[1] } : others;
}
