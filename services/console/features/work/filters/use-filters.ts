import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Bounds } from "../../../model/bounds.ts";
import type { FilterValues } from "../../../model/filters.ts";
import type { WorkState } from "../../../model/work-state.ts";
import { withinMap } from "./map-box.ts";

/** Filters that a selection sets, by their names; empty ones are taken away. */
export type Selection = FilterValues;

export type SeenFilters = {
  /** What the map shows; null until it is drawn. */
  readonly bounds: Signal<Bounds | null>;
  /** A selection while it is dragged or played, before the address has it. */
  readonly moving: Signal<Selection | undefined>;
  /** The filters without the box of the map. */
  readonly outsideMap: FilterValues;
  /** The filters of everything that is counted, listed, drawn beside the map and exported. */
  readonly all: FilterValues;
};

/** The filters of the address, with what is moved at this moment. */
export function useFilters({ filters, inMap }: WorkState): SeenFilters {
  const bounds = useSignal<Bounds | null>(null);
  const moving = useSignal<Selection | undefined>(undefined);
  const key = JSON.stringify(filters);
  const selection = moving.value;
  const outsideMap = useMemo(
    () => (selection === undefined ? filters : withSelection(filters, selection)),
    [key, selection],
  );
  const box = inMap ? bounds.value : null;
  const all = useMemo(() => withinMap(outsideMap, box), [outsideMap, box]);
  return { bounds, moving, outsideMap, all };
}

/** The filters with those of a selection in their place. */
export function withSelection(filters: FilterValues, selection: Selection): FilterValues {
  const all = Object.entries({ ...filters, ...selection });
  return Object.fromEntries(all.filter(([, value]) => value !== ""));
}
