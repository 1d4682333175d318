import type { MagnitudeConversion } from "#contracts/merge/magnitude-conversion.ts";
import type { MergeConfig, MergeStrategy, Preference } from "#contracts/merge/merge-config.ts";
import type { GivenGroup } from "#contracts/seismic-event/seismic-event.ts";
import { resolvedConversions } from "../conversion/convert-magnitude.ts";
import { type Thresholds, thresholdsOf } from "./thresholds.ts";

/** How a group of events becomes one. */
export type MergeRules = {
  readonly strategy: MergeStrategy;
  /** Label of the preferred source for `priority`; may be empty. */
  readonly priority: string;
  /** The thresholds of the grouping: the unit of distances for `average`. */
  readonly thresholds: Thresholds;
  /** Groups of attributes that are chosen by themselves. */
  readonly prefer?: { readonly [G in GivenGroup]?: Preference | undefined } | undefined;
  readonly minMagnitudeStations?: number | undefined;
  readonly conversions?: readonly MagnitudeConversion[] | undefined;
};

export function mergeRulesOf({
  timeThreshold,
  distanceThreshold,
  mergeStrategy: strategy,
  priority,
  prefer,
  minMagnitudeStations,
  conversions,
}: MergeConfig): MergeRules {
  return {
    strategy,
    priority,
    thresholds: thresholdsOf(timeThreshold, distanceThreshold),
    prefer,
    minMagnitudeStations,
    conversions: conversions && resolvedConversions(conversions),
  };
}
