import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { parseTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { type Origin, preferredMagnitude, preferredOrigin } from "../../api/located-event.ts";
import { ellipseOf, ellipseOfRow, type LocatedRow, outlineOf } from "../../model/error-ellipse.ts";
import { distanceKm, type Place } from "../../model/great-circle.ts";
import { decimal, type Measure, measured, UNKNOWN } from "../../ui/text/format.ts";

/** An origin beside the preferred one; a difference is null where it is not known, and of the preferred itself. */
export type OriginLine = ReturnType<typeof originLines>[number];

/** All origins in the bulletin's order, with what differs from the preferred one. */
export function originLines(bulletin: Bulletin) {
  const preferred = preferredOrigin(bulletin);
  return (bulletin.origin ?? []).map((origin, i) => {
    const isPreferred = origin === preferred;
    const reference = isPreferred ? null : preferred;
    return {
      /** Its place in the bulletin, from 1. */
      number: i + 1,
      origin,
      isPreferred,
      /** ISO 8601 in UTC; null where the bulletin's text is no time. */
      time: parseTime(origin.time.value),
      /** Seconds after the preferred one. */
      later: reference && secondsBetween(reference.time.value, origin.time.value),
      /** Kilometres between the epicentres. */
      away: reference && distanceKm(placeOf(reference), placeOf(origin)),
      /** Kilometres below the preferred one. */
      deeper: reference && kilometresBetween(reference.depth?.value, origin.depth?.value),
    };
  });
}

/** A magnitude beside the preferred one. */
export type MagnitudeLine = ReturnType<typeof magnitudeLines>[number];

/** All magnitudes in the bulletin's order, with what differs from the preferred one. */
export function magnitudeLines(bulletin: Bulletin) {
  const preferred = preferredMagnitude(bulletin);
  const origins = (bulletin.origin ?? []).map(({ publicID }) => publicID);
  return (bulletin.magnitude ?? []).map((magnitude, i) => ({
    number: i + 1,
    magnitude,
    isPreferred: magnitude === preferred,
    /** The number of its origin, where the bulletin has that. */
    originNumber: origins.indexOf(magnitude.originID ?? "") + 1 || null,
    /** How much larger than the preferred one; null of the preferred itself. */
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

function placeOf({ latitude, longitude }: Origin) {
  return { latitude: latitude.value, longitude: longitude.value };
}

function kilometresBetween(from: number | undefined, to: number | undefined): number | null {
  return from === undefined || to === undefined ? null : (to - from) / 1_000;
}

type Line = readonly Place[];

/**
 * What the map shows of an event: the error ellipse of the preferred origin, by the row where there is
 * no bulletin, and the way from it to the bulletin's other origins.
 */
export function mapLines(bulletin: Bulletin | null, shown: LocatedRow): readonly Line[] {
  const preferred = bulletin && preferredOrigin(bulletin);
  if (preferred === null) {
    const ellipse = ellipseOfRow(shown);
    return ellipse ? [outlineOf(shown, ellipse)] : [];
  }
  const middle = placeOf(preferred);
  const ellipse = ellipseOf(preferred) ?? ellipseOfRow(shown);
  const others = (bulletin?.origin ?? []).filter((origin) => origin !== preferred);
  return [
    ...(ellipse ? [outlineOf(middle, ellipse)] : []),
    ...others.map((origin): Line => [middle, placeOf(origin)]),
  ];
}

/** A difference with its sign: "+0.12"; unknown as a dash. */
export function difference(value: number | null, digits: number): string {
  const text = decimal(value, digits);
  return value !== null && value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** "2.0 ± 0.2": a value as far as its uncertainty lets it be known; unknown as a dash. */
export function withMargin(
  value: number | undefined,
  sigma: number | undefined,
  measure: Measure,
): string {
  const [text, margin] = measured(value, sigma, measure);
  return margin === null ? text : `${text} ± ${margin}`;
}

/** Kilometres of metres; nothing of nothing. */
export function kilometres(metres: number | undefined): number | undefined {
  return metres === undefined ? undefined : metres / 1_000;
}

type Made = { readonly creationInfo?: QuakemlObject<"CreationInfo"> };

/** Whose something is: the agency, else the author; unknown as a dash. */
export function sourceOf({ creationInfo }: Made): string {
  return creationInfo?.agencyID ?? creationInfo?.author ?? UNKNOWN;
}

/** Whose something is, by all that is said of it: "WEL, A. Seismologist"; empty where nothing is. */
export function makersOf({ creationInfo }: Made): string {
  const { agencyID, author } = creationInfo ?? {};
  return [...new Set([agencyID, author])].filter(Boolean).join(", ");
}

/** The end of a resource's identifier: "smi:nz.org.geonet/LOCSAT" → "LOCSAT"; empty without one. */
export function lastOf(resource: string | undefined): string {
  return resource?.split(/[/#]/).findLast((part) => part !== "") ?? "";
}
