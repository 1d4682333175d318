import type { Preview } from "../config/merge-body.ts";

export type ScoreParts = Preview["groups"][number]["members"][number]["score_parts"];

/** Of a score, at most. */
export const SCORE_MOST = 100;

/** What a score is the sum of, and the points that each part gives at most. */
export const SCORE_PARTS: readonly {
  readonly name: keyof ScoreParts;
  readonly label: string;
  readonly most: number;
}[] = [
  { name: "stations", label: "stations", most: 25 },
  { name: "gap", label: "azimuthal gap", most: 20 },
  { name: "rms", label: "RMS residual", most: 15 },
  { name: "magnitude_uncertainty", label: "magnitude uncertainty", most: 15 },
  { name: "magnitude_type", label: "magnitude type", most: 15 },
  { name: "review", label: "review", most: 10 },
];

/** Points with a decimal where they are not whole: "20", "8.3". */
export function points(value: number): string {
  return String(Number(value.toFixed(1)));
}
