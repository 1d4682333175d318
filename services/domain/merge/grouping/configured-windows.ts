import type { MergeWindow } from "#contracts/merge/merge-config.ts";
import { splitTime } from "../origins.ts";
import { thresholdsOf } from "../thresholds.ts";
import type { PairWindow } from "./pair-windows.ts";

/** @param labels of the sources, in their order; windows name them in any case */
export function windowsOf(
  windows: readonly MergeWindow[] | undefined,
  labels: readonly string[],
): PairWindow[] {
  return (windows ?? []).map(
    ({ sources, from, to, minMagnitude = null, timeThreshold, distanceThreshold }) => ({
      sources: sources === undefined ? null : indexesOf(sources, labels),
      from: from === undefined ? null : splitTime(from),
      to: to === undefined ? null : splitTime(to),
      minMagnitude,
      thresholds:
        timeThreshold === null || distanceThreshold === null
          ? null
          : thresholdsOf(timeThreshold, distanceThreshold),
    }),
  );
}

function indexesOf(wanted: readonly string[], labels: readonly string[]): Set<number> {
  const inAnyCase = new Set(wanted.map((label) => label.toLowerCase()));
  return new Set(
    labels.keys().filter((index) => inAnyCase.has(labels[index]?.toLowerCase() ?? "")),
  );
}
