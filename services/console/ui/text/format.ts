import { decimalsBy, decimalsOf, MINUS, roundedBy, significant } from "#contracts/plots/numbers.ts";

/** Stands where a value is not known. */
export const UNKNOWN = "–";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** 18650 → "18,650". */
export function count(value: number): string {
  // Adding 0 makes −0 0.
  return whole.format(value + 0).replace("-", MINUS);
}

/** What stands behind "version": "1,234", or "of 2016-11-13" where it is asked for by a time. */
export function versionName(asOf: string | number): string {
  return /^\d+$/.test(String(asOf)) ? count(Number(asOf)) : `of ${asOf}`;
}

/** "1 row", "2 rows". @param nouns where it is formed otherwise: "vertices" */
export function counted(value: number, noun: string, nouns = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : nouns}`;
}

/** What the service says, as a sentence begins. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A number with so many decimals; unknown as a dash. */
export function decimal(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || Number.isNaN(value)) return UNKNOWN;
  const text = value.toFixed(digits);
  // What rounds to nothing has no sign.
  if (!text.startsWith("-") || Number(text) === 0) return text.replace("-", "");
  return MINUS + text.slice(1);
}

/** Degrees of latitude with their half of the world: "42.6900° S". */
export function latitude(value: number, digits = 4): string {
  return degrees(value, digits, "S", "N");
}

/** Degrees of longitude, −180 to 180, with their half of the world: "173.0200° E". */
export function longitude(value: number, digits = 4): string {
  return degrees(value, digits, "W", "E");
}

/** What rounds to the line between the halves is on the greater side. */
function degrees(value: number, digits: number, below: string, above: string): string {
  const text = Math.abs(value).toFixed(digits);
  return `${text}° ${value < 0 && Number(text) !== 0 ? below : above}`;
}

/** "2016-11-13 11:02:56.346", UTC, with the fraction that the text has. */
export function time(iso: string): string {
  return iso.replace("T", " ").replace("Z", "");
}

/** "2016-11-13 11:02", UTC. */
export function minute(iso: string): string {
  return time(iso).slice(0, 16);
}

/** "2016-11-13", UTC. */
export function day(iso: string): string {
  return iso.slice(0, 10);
}

const STEPS: readonly (readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [31_557_600, "year"],
  [2_629_800, "month"],
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** "2 hours ago", from now. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1_000;
  const step = STEPS.find(([length]) => Math.abs(seconds) >= length);
  if (!step) return "just now";
  return relative.format(Math.trunc(seconds / step[0]), step[1]);
}

const SECONDS_OF_HOUR = 3_600;

/** How long something takes, in whole seconds: "0:41", "1:02:03". */
export function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const hours = Math.floor(seconds / SECONDS_OF_HOUR);
  const minutes = Math.floor((seconds % SECONDS_OF_HOUR) / 60);
  const two = (value: number) => String(value).padStart(2, "0");
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [365.25 * 86_400, "years"],
  [86_400, "days"],
  [3_600, "hours"],
  [60, "minutes"],
];

/** Seconds in the largest unit of which there is one: "1.92 days". */
export function duration(seconds: number): string {
  const [length, name] = UNITS.find(([least]) => seconds >= least) ?? [1, "seconds"];
  return `${significant(seconds / length, 3)} ${name}`;
}

type Changed = { readonly added: number; readonly updated: number; readonly removed: number };

/** What a version changed: "20 added, 1 removed"; "no event" where it changed none. */
export function toldChanges({ added, updated, removed }: Changed): string {
  const parts = Object.entries({ added, updated, removed }).filter(([, number]) => number > 0);
  if (parts.length === 0) return "no event changed";
  return parts.map(([kind, number]) => `${count(number)} ${kind}`).join(", ");
}

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
  const decimals = Math.max(0, decimalsOf(kept));
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

function signed(text: string): string {
  return withoutNothing(text.replace("-", MINUS));
}

/** What rounds to nothing has no sign. */
function withoutNothing(text: string): string {
  return /^−[0.]+$/.test(text) ? text.slice(1) : text;
}
