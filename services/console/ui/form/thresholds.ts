/** A number that must be typed. */
export const NUMBER = { type: "number", step: "any", required: true } as const;

/** Within which two events are one earthquake: in merges and comparisons. */
export const THRESHOLDS = [
  { ...NUMBER, name: "timeThreshold", label: "Time", unit: "s", min: 0, max: 3_600 },
  { ...NUMBER, name: "distanceThreshold", label: "Distance", unit: "km", min: 0, max: 1_000 },
] as const;
