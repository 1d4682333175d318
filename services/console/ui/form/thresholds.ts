/** Within which two events are one earthquake: in merges and comparisons. */
export const THRESHOLDS = [
  { name: "timeThreshold", label: "Time", unit: "s", min: 0, max: 3_600 },
  { name: "distanceThreshold", label: "Distance", unit: "km", min: 0, max: 1_000 },
] as const;
