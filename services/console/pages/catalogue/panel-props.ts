import type { Signal } from "@preact/signals";
import type { EventColumns } from "../../api/columns.ts";
import type { Classes } from "../../map/classes.ts";
import type { Catalogue } from "./page.tsx";
import type { FilterValues, PanelTab, WorkState } from "./url-state.ts";
import type { Change } from "./use-work-state.ts";

export type PanelProps = {
  readonly catalogue: Catalogue;
  readonly columns: EventColumns;
  /** Indexes of the events that pass the filters, ascending; null for all. */
  readonly shown: Uint32Array | null;
  readonly classes: Classes;
  readonly selected: Signal<number | null>;
  readonly state: WorkState;
  /** The filters that `shown` has passed. */
  readonly filters: FilterValues;
  readonly change: Change;
  /** Of an event's page. */
  readonly addressOf: (index: number) => string;
};

/** Of a plot. */
export type PlotsProps = PanelProps & { readonly tab: Exclude<PanelTab, "table"> };
