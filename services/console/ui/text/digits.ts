import { decimalsBy, decimalsOf, MINUS, roundedBy, significant } from "#contracts/plots/numbers.ts";
import { UNKNOWN } from "./format.ts";

/** What a number measures. */
export type Measure = "magnitude" | "depth" | "degrees" | "seconds" | "distance" | "angle";

type Digits = {
  /** Decimals that its values can mean, at most. */
  readonly most: number;
  /** Decimals of values that were given with more than `most`; `most` where it does not stand. */
  readonly usual?: number;
};

const DIGITS: Readonly<Record<Measure, Digits>> = {
  magnitude: { most: 2 },
  // Two where somebody has written two; more come of arithmetic.
  depth: { most: 2, usual: 1 },
  degrees: { most: 4 },
  seconds: { most: 2 },
  distance: { most: 2 },
  angle: { most: 0 },
};

/** Digits that single precision keeps, as columns of events have it: 5.1 comes as 5.0999999. */
const KEPT = 7;

type Value = number | null | undefined;

/** A number as it was given, with no more decimals than its measure has: 6.1, 12.34, 2 of 1.999672212. */
export function given(value: Value, measure: Measure): string {
  if (value === null || value === undefined || Number.isNaN(value)) return UNKNOWN;
  const kept = Number(value.toPrecision(KEPT));
  const { most, usual = most } = DIGITS[measure];
  const decimals = decimalsIn(kept);
  return signed(decimals <= most ? kept.toFixed(decimals) : String(Number(value.toFixed(usual))));
}

/**
 * A number as far as its uncertainty lets it be known, and the uncertainty: "2.0" and "0.2" of
 * 1.9997 and 0.2032. Without one as it was given, and null.
 */
export function measured(
  value: Value,
  sigma: Value,
  measure: Measure,
): readonly [value: string, sigma: string | null] {
  if (sigma === null || sigma === undefined) return [given(value, measure), null];
  if (!(sigma > 0)) return [given(value, measure), "0"];
  const most = DIGITS[measure].most + FURTHER;
  const isSmall = decimalsBy(sigma) > most;
  const told = isSmall ? significant(sigma, 1) : roundedBy(sigma, sigma);
  if (value === null || value === undefined) return [UNKNOWN, told];
  return [withoutNothing(isSmall ? signed(value.toFixed(most)) : roundedBy(sigma, value)), told];
}

/** Further decimals than a measure's values mean are not told, however small the uncertainty. */
const FURTHER = 2;

/**
 * A number as it was given and what it lacks to the decimals of its column, so that points stand below
 * each other: "6" and ".00" of 6 among magnitudes.
 */
export function aligned(value: Value, measure: Measure): readonly [text: string, lacking: string] {
  const text = given(value, measure);
  if (text === UNKNOWN) return [text, ""];
  const { most } = DIGITS[measure];
  const [, decimals] = text.split(".");
  if (decimals === undefined) return [text, most > 0 ? `.${"0".repeat(most)}` : ""];
  return [text, "0".repeat(most - decimals.length)];
}

/** "Mw 7.8", "M 2.6" where the type is not known or is no more than that, with its uncertainty apart. */
export function magnitudeName(
  value: Value,
  type: string | null | undefined,
  sigma?: Value,
): readonly [name: string, sigma: string | null] {
  if (value === null || value === undefined || Number.isNaN(value)) {
    return ["Magnitude unknown", null];
  }
  const [text, told] = measured(value, sigma, "magnitude");
  return [`${type?.trim() || "M"} ${text}`, told];
}

function decimalsIn(value: number): number {
  return Math.max(0, decimalsOf(value));
}

function signed(text: string): string {
  return withoutNothing(text.replace("-", MINUS));
}

/** What rounds to nothing has no sign. */
function withoutNothing(text: string): string {
  return /^−[0.]+$/.test(text) ? text.slice(1) : text;
}
