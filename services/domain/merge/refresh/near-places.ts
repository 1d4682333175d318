import { greatCircleKm } from "#contracts/seismic-event/great-circle.ts";
import type { Thresholds } from "../thresholds.ts";

/** Seconds since 1970, and degrees. */
export type Place = {
  /** Index of the source. */
  readonly source: number;
  readonly seconds: number;
  readonly latitude: number;
  readonly longitude: number;
};

/** Beyond the rounding of seconds as numbers, back to the year 1000. */
const MARGIN_SECONDS = 0.001;
const MARGIN_KM = 1e-6;
const MICROS_PER_SECOND = 1_000_000;

/** Thrown when so many places are near in time that merging everything again takes no longer. */
export class TooManyNear extends Error {
  override readonly name = "TooManyNear";
}

/**
 * What may be a candidate of one of some events: no fewer than are.
 * @param places of the events
 * @param most pairs that are compared
 */
export function nearPlaces(
  places: readonly Place[],
  { micros, kilometres }: Thresholds,
  most: number,
) {
  const inTime = places.toSorted((a, b) => a.seconds - b.seconds);
  const reach = micros / MICROS_PER_SECOND + MARGIN_SECONDS;
  let compared = 0;

  function firstFrom(seconds: number): number {
    let [first, end] = [0, inTime.length];
    while (first < end) {
      const middle = (first + end) >>> 1;
      if ((inTime[middle]?.seconds ?? 0) < seconds) first = middle + 1;
      else end = middle;
    }
    return first;
  }

  return {
    /** Windows of time, apart from each other, in which the events of a source are to be looked for. */
    windows(source: number): { from: number; to: number }[] {
      const windows: { from: number; to: number }[] = [];
      for (const place of inTime) {
        if (place.source === source) continue;
        const [from, to] = [place.seconds - reach, place.seconds + reach];
        const last = windows.at(-1);
        if (last !== undefined && from <= last.to) last.to = to;
        else windows.push({ from, to });
      }
      return windows;
    },
    /** @throws TooManyNear */
    isNear(event: Place): boolean {
      const end = event.seconds + reach;
      for (let i = firstFrom(event.seconds - reach); i < inTime.length; i += 1) {
        const place = inTime[i];
        if (place === undefined || place.seconds > end) return false;
        compared += 1;
        if (compared > most) throw new TooManyNear();
        if (place.source === event.source) continue;
        if (greatCircleKm(place, event) <= kilometres + MARGIN_KM) return true;
      }
      return false;
    },
  };
}
