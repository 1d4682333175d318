import { ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import { converted } from "#contracts/seismic-event/written-units.ts";
import { createTimeSense, type TimeReading, type TimeSense } from "./time-sense.ts";
import { standsForUnknown } from "./unknown-numbers.ts";

/** How a file is read where its texts leave it open. */
export type FileReading = TimeReading & {
  /**
   * Of depths whose unit is said nowhere. By default kilometres; `mixed`: they may be kilometres or metres, so
   * that none is read.
   */
  readonly depthUnit?: "m" | "mixed" | undefined;
};

/** Reads what a file leaves open cell by cell, and finds what the whole file says of it. */
export type FileSense = {
  readonly time: TimeSense["read"];
  /** A depth in kilometres; of `mixed` ones a text that is no number. */
  readonly depth: (depth: number) => {
    readonly depth: number | string;
    readonly remark: string | null;
  };
  /** By what the file is to be read again; null for nothing. */
  readonly decision: () => FileReading | null;
};

/** The deepest earthquakes are at 700 km: limit in metres, with a margin. */
const MAX_METRES = 1_000_000;
const REMARKS = {
  m: "most of the depths are beyond 1000 km, so all are read as metres",
  mixed:
    "some of the depths are beyond 1000 km, others not, so that they may be kilometres or metres: " +
    "none is read before its column is said to have a unit",
};

/**
 * A whole column has one unit. A depth that no kilometres can be shows that these are in doubt: where such are
 * more than half of those that are not 0, the file has metres, else it is not known.
 */
export function createFileSense(reading: FileReading): FileSense {
  const times = createTimeSense(reading);
  const { depthUnit } = reading;
  let within = 0;
  let beyond = 0;

  function depthDecision(): FileReading | null {
    if (beyond === 0 || depthUnit !== undefined) return null;
    return { depthUnit: beyond > within ? "m" : "mixed" };
  }

  return {
    time: times.read,
    depth(depth) {
      const size = Math.abs(depth);
      if (size > MAX_METRES || standsForUnknown("depth", depth, ATTRIBUTES.depth)) {
        return { depth, remark: null };
      }
      if (size > ATTRIBUTES.depth.max) beyond += 1;
      else if (size > 0) within += 1;
      if (depthUnit === undefined) return { depth, remark: null };
      const remark = REMARKS[depthUnit];
      return { depth: depthUnit === "m" ? converted(depth, "m") : `${depth} km or m`, remark };
    },
    decision() {
      const [ofTimes, ofDepths] = [times.decision(), depthDecision()];
      return ofTimes === null && ofDepths === null ? null : { ...ofTimes, ...ofDepths };
    },
  };
}
