import { niceTicks } from "#contracts/plots/scale.ts";

export type Point = readonly [x: number, y: number];

/** Where a direction from the middle leads: north is up, y downwards. @param azimuth degrees from north over east */
export function pointAt(azimuth: number, radius: number): Point {
  const angle = (azimuth * Math.PI) / 180;
  return [radius * Math.sin(angle), -radius * Math.cos(angle)];
}

/** How far from the middle distances are drawn: 0 in the middle, 1 at the rim. */
export type RadialScale = {
  readonly at: (distance: number) => number;
  /** Distances of circles, without the rim. */
  readonly rings: readonly number[];
  /** The distance at the rim. */
  readonly most: number;
  /** Near ones would lie on each other: their distance from the middle is as the square root. */
  readonly isRoot: boolean;
};

/** Times that the farthest is beyond the middle one of the distances, from which on roots are drawn. */
const FAR = 5;
const RINGS = 4;
const ROOM = 1.05;
/** Degrees: some 10 m. */
const LEAST = 1e-4;

/** A scale for these distances, of which there is one at least. */
export function radialScale(distances: readonly number[]): RadialScale {
  const ordered = distances.toSorted((a, b) => a - b);
  const most = Math.max(ordered.at(-1) ?? 0, LEAST) * ROOM;
  const isRoot = most > FAR * (ordered[Math.floor(ordered.length / 2)] ?? most);
  const at = (distance: number) => (isRoot ? Math.sqrt(distance / most) : distance / most);
  const rings = niceTicks(0, most, RINGS).filter((ring) => ring > 0 && at(ring) < 0.97);
  return { at, rings, most, isRoot };
}

/** A sector of a circle as a path of SVG: from an azimuth clockwise over `width` degrees. */
export function sectorPath(from: number, width: number, radius: number): string {
  const [startX, startY] = pointAt(from, radius);
  const [endX, endY] = pointAt(from + width, radius);
  const isLarge = width > 180 ? 1 : 0;
  const [start, end] = [`${text(startX)} ${text(startY)}`, `${text(endX)} ${text(endY)}`];
  return `M0 0L${start}A${text(radius)} ${text(radius)} 0 ${isLarge} 1 ${end}Z`;
}

function text(value: number): string {
  return String(Number(value.toFixed(1)) + 0);
}
