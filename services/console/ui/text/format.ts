import { MINUS, significant } from "#contracts/plots/numbers.ts";

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

/** 1 → "1 event", 18650 → "18,650 events". */
export function events(number: number): string {
  return `${count(number)} ${number === 1 ? "event" : "events"}`;
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
