import { type TimePart, timePartOf } from "#contracts/seismic-event/time-parts.ts";

/** The keys that hold the parts of a time; year, month and day are always among them. */
export type TimePartKeys = ReadonlyMap<TimePart, string>;

const DATE_PARTS = ["year", "month", "day"] as const;
/** Below a microsecond a number's own text has an exponent. */
const SECOND_DIGITS = 9;

/** The keys of a time in parts among `keys`; null unless there is a whole date. */
export function timePartKeys(keys: readonly string[]): TimePartKeys | null {
  const parts = new Map<TimePart, string>();
  for (const key of keys) {
    const part = timePartOf(key);
    if (part !== null && !parts.has(part)) parts.set(part, key);
  }
  return DATE_PARTS.every((part) => parts.has(part)) ? parts : null;
}

/** The date of a time in parts as text, null when a part of it is missing; its validity shows later. */
export function dateOfParts(
  given: Readonly<Record<string, unknown>>,
  parts: TimePartKeys,
): string | null {
  const [year, month, day] = DATE_PARTS.map((part) => partText(given, parts, part));
  if (!year || !month || !day) return null;
  // ZMAP's year is a decimal one, which the other parts say again.
  return `${year.replace(/\.\d*$/, "")}-${month.replace(/\.0*$/, "")}-${day.replace(/\.0*$/, "")}`;
}

/** The time of day; parts that are missing are 0. */
export function timeOfDayOfParts(
  given: Readonly<Record<string, unknown>>,
  parts: TimePartKeys,
): string {
  const text = (part: TimePart) => partText(given, parts, part) || "0";
  const whole = (part: TimePart) => text(part).replace(/\.0*$/, "");
  return `${whole("hour")}:${whole("minute")}:${text("second").replace(/\.$/, "")}`;
}

function partText(
  given: Readonly<Record<string, unknown>>,
  parts: TimePartKeys,
  part: TimePart,
): string {
  const value = given[parts.get(part) ?? ""];
  if (typeof value === "string") return value.trim();
  if (typeof value !== "number") return "";
  const text = String(value);
  return text.includes("e") ? value.toFixed(SECOND_DIGITS) : text;
}
