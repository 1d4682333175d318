import { createDepthSense, type DepthReading, type DepthSense } from "./depth-sense.ts";
import { createTimeSense, type TimeReading, type TimeSense } from "./time-sense.ts";

/** How a file is read where its texts leave it open. */
export type FileReading = TimeReading & DepthReading;

/** Reads what a file leaves open cell by cell, and finds what the whole file says of it. */
export type FileSense = {
  readonly time: TimeSense["read"];
  readonly depth: DepthSense["read"];
  /** By what the file is to be read again; null for nothing. */
  readonly decision: () => FileReading | null;
};

export function createFileSense(reading: FileReading): FileSense {
  const [times, depths] = [createTimeSense(reading), createDepthSense(reading)];
  return {
    time: times.read,
    depth: depths.read,
    decision() {
      const [ofTimes, ofDepths] = [times.decision(), depths.decision()];
      return ofTimes === null && ofDepths === null ? null : { ...ofTimes, ...ofDepths };
    },
  };
}
