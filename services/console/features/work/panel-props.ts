import type { Signal } from "@preact/signals";
import type { Classes } from "../../drawing/classes.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import type { Catalogue } from "../../model/operation-types.ts";
import type { FilterValues, PanelTab, WorkState } from "../../model/work-state.ts";
import type { Moved } from "../../plots/use-brush.ts";
import type { Change } from "../../ui/use-work-state.ts";
import type { Selection } from "./filters/use-filters.ts";

export type PanelProps = {
  readonly catalogue: Catalogue;
  readonly columns: EventColumns;
  /** Indexes of the events that pass the filters, ascending; null for all. */
  readonly indexes: Uint32Array | null;
  readonly classes: Classes;
  readonly selected: Signal<number | null>;
  readonly state: WorkState;
  /** The filters that `shown` has passed. */
  readonly filters: FilterValues;
  readonly change: Change;
  /** Selects events by some of the filters, in everything at once. */
  readonly select: (selection: Selection, how: Moved) => void;
  /** A drag was given up. */
  readonly stopSelecting: () => void;
  /** Of an event's page. */
  readonly addressOf: (index: number) => string;
};

/** Of a plot. */
export type PlotsProps = PanelProps & { readonly tab: Exclude<PanelTab, "table"> };
