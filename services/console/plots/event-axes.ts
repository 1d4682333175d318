import { MINUS } from "#contracts/plots/numbers.ts";
import { boundsOf, widthOf } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import { latitude as latitudeText, longitude as longitudeText } from "../ui/text/format.ts";
import { niceTicks } from "./chart/ticks.ts";
import { stretchOf, timeTicks } from "./chart/time-bins.ts";
import { type Profile, placeOnProfile } from "./profile.ts";
import type { Axis } from "./scatter.ts";

/** Pixels between two marks, at the least. */
const BESIDE = 90;
const BELOW = 44;

/** Time, UTC, from left to right. */
export function timeAxis({ time }: EventColumns, width: number): Axis {
  const [first, last] = stretchOf(time);
  const pad = (last - first) * 0.02;
  const [from, to] = [first - pad, last + pad];
  const ticks = timeTicks(from, to, Math.max(2, width / BESIDE));
  return { title: "Time, UTC", from, to, ticks, at: (i) => time[i] ?? Number.NaN };
}

/** Magnitudes, the largest at the top. */
export function magnitudeAxis({ magnitude }: EventColumns, height: number): Axis {
  const [least, most] = rangeOf(magnitude, [0, 5]);
  const pad = Math.max(0.2, (most - least) * 0.04);
  return numberAxis("Magnitude", magnitude, most + pad, least - pad, height / BELOW);
}

/** Depths in km, downwards from the surface or from above it. */
export function depthAxis({ depth }: EventColumns, height: number): Axis {
  const [least, most] = rangeOf(depth, [0, 1]);
  const to = Math.max(1, most * 1.04);
  return numberAxis("Depth, km", depth, Math.min(0, least), to, height / BELOW);
}

/** Longitudes from west to east, over the date line where the events lie there. */
export function longitudeAxis({ latitude, longitude }: EventColumns, width: number): Axis {
  const bounds = boundsOf(latitude, longitude, null) ?? { south: -1, north: 1, west: -1, east: 1 };
  const pad = Math.max(0.01, widthOf(bounds) * 0.03);
  const [from, to] = [bounds.west - pad, bounds.west + widthOf(bounds) + pad];
  const at = (i: number) => {
    const degrees = longitude[i] ?? Number.NaN;
    return degrees < from ? degrees + 360 : degrees;
  };
  const marks = niceTicks(from, to, width / BESIDE);
  const ticks = marks.map((tick) => ({
    at: tick,
    label: longitudeText(tick > 180 ? tick - 360 : tick, digitsOf(marks)),
  }));
  return { title: "Longitude", from, to, ticks, at };
}

/** Latitudes from south to north. */
export function latitudeAxis({ latitude }: EventColumns, width: number): Axis {
  const [south, north] = rangeOf(latitude, [-1, 1]);
  const pad = Math.max(0.01, (north - south) * 0.03);
  const [from, to] = [south - pad, north + pad];
  const marks = niceTicks(from, to, width / BESIDE);
  const ticks = marks.map((tick) => ({ at: tick, label: latitudeText(tick, digitsOf(marks)) }));
  return { title: "Latitude", from, to, ticks, at: (i) => latitude[i] ?? Number.NaN };
}

/** Kilometres along a line, of the events within its length and its half-width. */
export function lineAxis(
  { latitude, longitude }: EventColumns,
  line: Profile & { readonly lengthKm: number },
  width: number,
): Axis {
  const half = line.lengthKm / 2;
  const ticks = niceTicks(0, line.lengthKm, Math.max(2, width / BESIDE));
  return {
    title: "Along the line, km",
    from: 0,
    to: line.lengthKm,
    ticks: ticks.map((at) => ({ at, label: String(at) })),
    at: (i) => {
      const event = { latitude: latitude[i] ?? 0, longitude: longitude[i] ?? 0 };
      const { along, across } = placeOnProfile(line, event);
      const isBeside = Math.abs(across) > line.halfWidthKm || Math.abs(along) > half;
      return isBeside ? Number.NaN : along + half;
    },
  };
}

function numberAxis(
  title: string,
  values: Float32Array,
  from: number,
  to: number,
  most: number,
): Axis {
  const ticks = niceTicks(Math.min(from, to), Math.max(from, to), Math.max(2, most));
  return {
    title,
    from,
    to,
    ticks: ticks.map((at) => ({ at, label: String(at).replace("-", MINUS) })),
    at: (i) => values[i] ?? Number.NaN,
  };
}

function rangeOf(values: Float32Array, without: readonly [number, number]) {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return least > most ? without : ([least, most] as const);
}

/** Digits after the point that tell the ticks apart. */
function digitsOf(ticks: readonly number[]): number {
  return Math.max(0, ...ticks.map((tick) => String(tick).split(".")[1]?.length ?? 0));
}
