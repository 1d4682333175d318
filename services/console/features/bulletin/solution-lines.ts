import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { parseTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { distanceKm } from "../../model/great-circle.ts";
import {
  type Magnitude,
  type Origin,
  preferredMagnitude,
  preferredOrigin,
} from "../../model/preferred-solutions.ts";

/** An origin beside the preferred one; a difference is null where it is not known, and of the preferred itself. */
export type OriginLine = {
  /** Its place in the bulletin, from 1. */
  readonly number: number;
  readonly origin: Origin;
  readonly isPreferred: boolean;
  /** ISO 8601 in UTC; null where the bulletin's text is no time. */
  readonly time: string | null;
  /** Seconds after the preferred one. */
  readonly later: number | null;
  /** Kilometres between the epicentres. */
  readonly away: number | null;
  /** Kilometres below the preferred one. */
  readonly deeper: number | null;
};

/** All origins in the bulletin's order, with what differs from the preferred one. */
export function originLines(bulletin: Bulletin): readonly OriginLine[] {
  const preferred = preferredOrigin(bulletin);
  return (bulletin.origin ?? []).map((origin, i) => {
    const isPreferred = origin === preferred;
    const time = parseTime(origin.time.value);
    const reference = isPreferred ? null : preferred;
    return {
      number: i + 1,
      origin,
      isPreferred,
      time,
      later: reference && secondsBetween(reference.time.value, origin.time.value),
      away: reference && distanceKm(placeOf(reference), placeOf(origin)),
      deeper: reference && kilometresBetween(reference.depth?.value, origin.depth?.value),
    };
  });
}

/** A magnitude beside the preferred one. */
export type MagnitudeLine = {
  readonly number: number;
  readonly magnitude: Magnitude;
  readonly isPreferred: boolean;
  /** The number of its origin, where the bulletin has that. */
  readonly originNumber: number | null;
  /** How much larger than the preferred one; null of the preferred itself. */
  readonly larger: number | null;
};

/** All magnitudes in the bulletin's order, with what differs from the preferred one. */
export function magnitudeLines(bulletin: Bulletin): readonly MagnitudeLine[] {
  const preferred = preferredMagnitude(bulletin);
  const numbers = new Map<string, number>();
  for (const [i, { publicID }] of (bulletin.origin ?? []).entries()) {
    if (!numbers.has(publicID)) numbers.set(publicID, i + 1);
  }
  return (bulletin.magnitude ?? []).map((magnitude, i) => ({
    number: i + 1,
    magnitude,
    isPreferred: magnitude === preferred,
    originNumber: numbers.get(magnitude.originID ?? "") ?? null,
    larger:
      preferred === null || magnitude === preferred
        ? null
        : magnitude.mag.value - preferred.mag.value,
  }));
}

/** Seconds from one time to another, however they are written; null where one is none. */
export function secondsBetween(from: string, to: string): number | null {
  const [first, second] = [parseTime(from), parseTime(to)];
  if (first === null || second === null) return null;
  return Number(timeToMicros(second) - timeToMicros(first)) / 1e6;
}

export function placeOf({ latitude, longitude }: Origin) {
  return { latitude: latitude.value, longitude: longitude.value };
}

function kilometresBetween(from: number | undefined, to: number | undefined): number | null {
  return from === undefined || to === undefined ? null : (to - from) / 1_000;
}
