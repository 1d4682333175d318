import type { PanelTab } from "../../model/work-state.ts";
import type { Shown } from "./work.ts";

export type PanelProps = Shown;

export type PlotsProps = Shown & { readonly tab: Exclude<PanelTab, "table"> };
