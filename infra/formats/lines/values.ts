/** What programs write in lines, as QuakeML has it: times of a calendar, lengths, streams. */

import type { QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import {
  fractionDigits,
  microsToTime,
  parseTime,
  timeToMicros,
} from "#contracts/seismic-event/time.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import { own, present } from "../bulletin/members.ts";
import { shiftDecimal } from "../written-values.ts";

/** Kilometres to metres, as a power of ten. */
export const KM_TO_M = 3;

/** More digits than microseconds have are rounded. */
const MAX_DIGITS = 6;
const MICROS_PER_MINUTE = 60_000_000n;

/**
 * A time in ISO 8601, UTC, with the second's digits. Hours from 24 on and minutes and seconds from
 * 60 on are in the next day, hour and minute.
 * @param parts year, month, day, hour, minute and second as decimal texts
 * @returns null for what is no time
 */
export function isoTime(parts: readonly string[]): string | null {
  const [year, month, day, hour, minute] = parts.slice(0, 5).map(wholeNumber);
  const second = parts[5]?.trim() ?? "";
  const micros = microsOf(second);
  if (year === undefined || hour === undefined || minute === undefined || micros === null) {
    return null;
  }
  const date = `${String(year).padStart(4, "0")}-${twoDigits(month)}-${twoDigits(day)}`;
  const midnight = parseTime(`${date}T00:00:00Z`);
  if (midnight === null || !(hour >= 0) || !(minute >= 0)) return null;
  const minutes = BigInt(hour) * 60n + BigInt(minute);
  return timeOf(timeToMicros(midnight) + minutes * MICROS_PER_MINUTE + micros, digitsOf(second));
}

/**
 * The time that is `seconds`, a decimal text, after a canonical one, or before it; null for other
 * text.
 */
export function laterBy(time: string, seconds: string): string | null {
  const micros = microsOf(seconds);
  if (micros === null) return null;
  return timeOf(timeToMicros(time) + micros, Math.max(fractionDigits(time), digitsOf(seconds)));
}

function timeOf(micros: bigint, digits: number): string | null {
  try {
    return microsToTime(micros, digits);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function microsOf(seconds: string): bigint | null {
  const micros = Number(shiftDecimal(seconds, MAX_DIGITS) ?? Number.NaN);
  return Number.isFinite(micros) ? BigInt(Math.round(micros)) : null;
}

function digitsOf(seconds: string): number {
  return Math.min(/\.(\d*)/.exec(seconds)?.[1]?.length ?? 0, MAX_DIGITS);
}

function wholeNumber(text: string): number {
  return /^ *\d{1,4} *$/.test(text) ? Number(text) : Number.NaN;
}

function twoDigits(part: number | undefined): string {
  return String(part).padStart(2, "0");
}

const RADIANS = Math.PI / 180;
/** At the poles a length says nothing of the longitude. */
const MOST_DEGREES = 180;

/** Degrees of a great circle, and so of latitude. */
export function degreesOfKm(km: number): number {
  return km / KM_PER_DEGREE;
}

/** Degrees of longitude of a length to the east; undefined for one that goes round the pole. */
export function degreesEast(km: number, latitude: number): number | undefined {
  const degrees = km / (KM_PER_DEGREE * Math.cos(latitude * RADIANS));
  return degrees > MOST_DEGREES ? undefined : degrees;
}

/** Characters of QuakeML's codes. */
const MAX_CODE = 8;
/** Programs that have no networks are given them in front of the station. */
const WITH_NETWORK = /^([A-Za-z0-9]{1,2})\.([A-Za-z0-9]{1,8})$/;

/**
 * The stream of a station where a format has no networks. A code that is too long for QuakeML is cut,
 * and kept whole beside it.
 */
export function waveformOf(station: string, channel?: string): QuakemlObject<"WaveformStreamID"> {
  const [, networkCode = "", stationCode = station] = WITH_NETWORK.exec(station) ?? [];
  const codes = { station: stationCode, channel: channel ?? "" };
  return {
    networkCode,
    stationCode: stationCode.slice(0, MAX_CODE),
    ...present({
      channelCode: channel?.slice(0, MAX_CODE) || undefined,
      foreign: Object.entries(codes)
        .filter(([, code]) => code.length > MAX_CODE)
        .map(([name, code]) => own(name, code)),
    }),
  };
}
