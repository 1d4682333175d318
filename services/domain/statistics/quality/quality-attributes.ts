import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import { NEVER_ZERO } from "../../merge/known.ts";
import type { MeasuredAttribute } from "./quality-rules.ts";
import type { Bins } from "./value-distribution.ts";

/** An attribute that says how good a solution is. */
export type QualityAttribute = {
  readonly attribute: MeasuredAttribute;
  /** In the attribute's unit. */
  readonly bins: Bins;
  /** A 0 is no measurement. */
  readonly zeroIsUnknown: boolean;
  /** Names under which files have the attribute. */
  readonly names: readonly string[];
};

const BINS: Readonly<Record<MeasuredAttribute, Bins>> = {
  azimuthal_gap: { width: 10, count: 36 },
  used_phase_count: { width: 5, count: 40 },
  used_station_count: { width: 5, count: 40 },
  standard_error: { width: 0.1, count: 30 },
  horizontal_uncertainty: { width: 1, count: 50 },
  depth_uncertainty: { width: 1, count: 50 },
  time_uncertainty: { width: 0.1, count: 50 },
  magnitude_uncertainty: { width: 0.05, count: 40 },
  magnitude_station_count: { width: 5, count: 20 },
};

export const QUALITY_ATTRIBUTES: readonly QualityAttribute[] = (
  Object.keys(BINS) as MeasuredAttribute[]
).map((attribute) => {
  const { aliases = [] }: Attribute = ATTRIBUTES[attribute];
  return {
    attribute,
    bins: BINS[attribute],
    zeroIsUnknown: NEVER_ZERO.has(attribute),
    names: [attribute, attribute.replaceAll("_", ""), ...aliases],
  };
});
