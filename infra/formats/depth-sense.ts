import { ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import { converted } from "#contracts/seismic-event/written-units.ts";
import { standsForUnknown } from "./unknown-numbers.ts";

/** How a file's depths are read whose unit neither a name nor anybody says. */
export type DepthReading = {
  /** By default kilometres; `mixed`: they may be kilometres or metres, so that none is read. */
  readonly depthUnit?: "m" | "mixed" | undefined;
};

/** A depth in kilometres; of `mixed` ones a text that is no number. */
export type SensedDepth = { readonly depth: number | string; readonly remark: string | null };

export type DepthSense = {
  readonly read: (depth: number) => SensedDepth;
  /** What all depths read so far decide; null for nothing. */
  readonly decision: () => DepthReading | null;
};

/** The deepest earthquakes are at 700 km: limit in metres, with a margin. */
export const MAX_METRES = 1_000_000;
const REMARKS = {
  m: "most of the depths are beyond 1000 km, so all are read as metres",
  mixed:
    "some of the depths are beyond 1000 km, others not, so that they may be kilometres or metres: " +
    "none is read before its column is said to have a unit",
};

/**
 * A whole column has one unit. One of the depths that no kilometres can be shows that kilometres are in doubt:
 * where these are more than half of those that are not 0, the file has metres, else it is not known.
 */
export function createDepthSense({ depthUnit }: DepthReading): DepthSense {
  const { max } = ATTRIBUTES.depth;
  let within = 0;
  let beyond = 0;

  return {
    read(depth) {
      const size = Math.abs(depth);
      if (size > MAX_METRES || standsForUnknown("depth", depth, ATTRIBUTES.depth)) {
        return { depth, remark: null };
      }
      if (size > max) beyond += 1;
      else if (size > 0) within += 1;
      if (depthUnit === undefined) return { depth, remark: null };
      const remark = REMARKS[depthUnit];
      return { depth: depthUnit === "m" ? converted(depth, "m") : `${depth} km or m`, remark };
    },
    decision() {
      if (beyond === 0 || depthUnit !== undefined) return null;
      return { depthUnit: beyond > within ? "m" : "mixed" };
    },
  };
}
