import { splitTime } from "../origins.ts";
import { thresholdsOf } from "../thresholds.ts";
import type { PairWindow } from "./pair-windows.ts";

/** A window as a merge's configuration has it. */
export type ConfiguredWindow = {
  /** Labels of sources, in any case. */
  readonly sources?: readonly string[] | undefined;
  /** Canonical times. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly minMagnitude?: number | undefined;
  /** Seconds, kilometres; null together. */
  readonly timeThreshold: number | null;
  readonly distanceThreshold: number | null;
};

/** @param labels of the sources, in their order */
export function windowsOf(
  windows: readonly ConfiguredWindow[] | undefined,
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
