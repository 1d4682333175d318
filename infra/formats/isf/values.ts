/** Values as ISF spells them: times, types of events, letters and flags. */

import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import {
  fractionDigits,
  microsToTime,
  parseTime,
  timeToMicros,
} from "#contracts/seismic-event/time.ts";
import { FaultyLine, type TextLine } from "../lines/fixed-columns.ts";
import { isoTime } from "../lines/values.ts";

const DATE = /^(\d{4})[/-] ?(\d{1,2})[/-] ?(\d{1,2})$/;
const CLOCK = /^(\d{1,2}): ?(\d{1,2})(?:: ?(\d{1,2}(?:\.\d*)?))?$/;

const DAY_MICROS = 86_400_000_000n;
const MICROS_DIGITS = 6;
const BEYOND_MICROS = /[.,]\d{6}\d*[1-9]/;
const LAST_MICROS = timeToMicros("9999-12-31T23:59:59.999999Z");

/**
 * Year, month and day as texts.
 * @throws FaultyLine for text that is no date
 */
export function dayIn(line: TextLine, text: string): string[] {
  const parts = DATE.exec(text)?.slice(1);
  if (parts === undefined) throw new FaultyLine(line.number, `${JSON.stringify(text)} is no date`);
  return parts;
}

/**
 * The time of a day and a time of day, ISO 8601 with the digits as given.
 * @throws FaultyLine
 */
export function timeIn(line: TextLine, day: readonly string[], clock: string): string {
  const [, hour = "", minute = "", second = "00"] = CLOCK.exec(clock) ?? [];
  const time = isoTime([...day, hour, minute, second]);
  if (time !== null) return time;
  const text = `${day.join("/")} ${clock}`;
  throw new FaultyLine(line.number, `${JSON.stringify(text)} is no time`);
}

/**
 * The time of a time of day on the day that brings it nearest to the origin's time: a phase just after
 * midnight may be of an origin just before it.
 * @throws FaultyLine
 */
export function timeNear(line: TextLine, origin: string, clock: string): string {
  const time = timeIn(line, origin.slice(0, 10).split("-"), clock);
  const shift = daysToNearest(time, origin);
  try {
    return microsToTime(timeToMicros(time) + shift * DAY_MICROS, fractionDigits(time));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FaultyLine(line.number, "the phase is before or after all years");
  }
}

function daysToNearest(time: string, origin: string): bigint {
  const later = timeToMicros(time) - timeToMicros(origin);
  if (later > DAY_MICROS / 2n) return -1n;
  return later < -DAY_MICROS / 2n ? 1n : 0n;
}

/** Whether a time of day without its day is read again as on that day. */
export function isOnNearestDay(time: string, origin: string): boolean {
  const later = timeToMicros(time) - timeToMicros(origin);
  return later < DAY_MICROS / 2n && later > -DAY_MICROS / 2n;
}

/**
 * A time in two columns with at most `digits` fractional digits, rounded, `isExact` unless it has more; `time`
 * is canonical, as it is read again. Null for text that is no time.
 */
export function writtenTime(text: string, digits: number) {
  const parsed = parseTime(text);
  if (parsed === null) return null;
  const written = Math.min(digits, fractionDigits(parsed));
  const unit = 10n ** BigInt(MICROS_DIGITS - written);
  const micros = timeToMicros(parsed);
  const rounded = floorTo(unit, micros + unit / 2n);
  if (rounded > LAST_MICROS) return null;
  const time = microsToTime(rounded, written);
  return {
    date: time.slice(0, 10).replaceAll("-", "/"),
    clock: time.slice(11, -1),
    isExact: rounded === micros && !BEYOND_MICROS.test(text),
    time,
  };
}

/** The multiple of `unit` at or before a time, which may be before 1970. */
function floorTo(unit: bigint, micros: bigint): bigint {
  const beyond = micros % unit;
  return micros - (beyond < 0n ? beyond + unit : beyond);
}

type TypeAndCertainty = Required<Pick<Bulletin, "type" | "typeCertainty">>;

/** IMS1.0's second letter. */
export const TYPES: Readonly<Record<string, TypeAndCertainty["type"]>> = {
  e: "earthquake",
  r: "rock burst",
  i: "induced or triggered event",
  m: "mining explosion",
  h: "chemical explosion",
  x: "experimental explosion",
  n: "nuclear explosion",
};

/** IMS1.0's first letter; the best comes last, which is written. */
const CERTAINTIES: Readonly<Record<string, TypeAndCertainty["typeCertainty"]>> = {
  s: "suspected",
  k: "known",
};

/** Codes that are no pair of letters: damaging and felt earthquakes, landslides. */
const WHOLE: Readonly<Record<string, TypeAndCertainty>> = {
  de: { type: "earthquake", typeCertainty: "known" },
  fe: { type: "earthquake", typeCertainty: "known" },
  ls: { type: "landslide", typeCertainty: "known" },
};

/** The type of an event by its two letters; null for `uk`, which is unknown, and for other letters. */
export function eventTypeOf(letters: string): TypeAndCertainty | null {
  const lower = letters.toLowerCase();
  const type = TYPES[lower[1] ?? ""];
  const typeCertainty = CERTAINTIES[lower[0] ?? ""];
  if (type !== undefined && typeCertainty !== undefined) return { type, typeCertainty };
  return WHOLE[lower] ?? null;
}

/**
 * The letters that are read again as the event's type and certainty; null where there are none. A type
 * without certainty is written as a suspected one, which claims the least.
 */
export function lettersOf({ type, typeCertainty }: Bulletin): string | null {
  if (type === undefined) return null;
  if (type === "landslide") return "ls";
  const second = Object.keys(TYPES).find((letter) => TYPES[letter] === type);
  if (second === undefined) return null;
  return (typeCertainty === "known" ? "k" : "s") + second;
}

/** The confidence in % of ISF's ellipses and errors of depths. */
export const CONFIDENCE = 90;

/** ISF's letters of how an origin was found: automatic, manual, guess. */
export const MODES: Readonly<Record<string, "automatic" | "manual">> = {
  a: "automatic",
  m: "manual",
  g: "manual",
};

/** SEED's empty location in ISF's columns. */
export const EMPTY_LOCATION = "--";

/** The flags of a phase's line by the weight that they are about. */
export const FLAGS = {
  timeWeight: "T",
  backazimuthWeight: "A",
  horizontalSlownessWeight: "S",
} as const;
export const WEIGHTS = Object.keys(FLAGS) as (keyof typeof FLAGS)[];
/** The flag of a value that was not used. */
export const UNUSED = "_";
