import { TURN, turned, wrapLongitude } from "../seismic-event/longitude.ts";
import type { Area, Position } from "./shape.ts";

/** From west to east; the west above the east is a box across the antimeridian. */
export type AreaBox = {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
};

/**
 * The smallest box of longitudes around parts that may lie on both sides of the antimeridian: whole turns by which
 * each of them comes to lie in it.
 */
export type Extent = {
  readonly west: number;
  /** Less than a turn to the east of it. */
  readonly east: number;
  readonly turns: readonly number[];
};

type Span = { readonly part: number; readonly west: number; readonly east: number };

/** The box of an area, for whoever knows no areas; its longitudes are between −180 and 180. */
export function boxOfArea(area: Area): AreaBox {
  const latitudes = area.flat(2).map(([, latitude]) => latitude);
  const extent = extentOf(area.map((polygon) => polygon.flat()));
  return {
    west: extent?.west ?? -180,
    east: extent === null ? 180 : wrapLongitude(extent.east),
    south: least(latitudes),
    north: greatest(latitudes),
  };
}

/** East of the widest gap between the parts; null where there is none. */
export function extentOf(parts: readonly (readonly Position[])[]): Extent | null {
  const spans = parts.map(spanOf).toSorted((a, b) => a.west - b.west);
  let first = 0;
  let gap = 0;
  let reached = greatest(spans.map(({ east }) => east)) - TURN;
  for (const [i, { west, east }] of spans.entries()) {
    if (west - reached > gap) [first, gap] = [i, west - reached];
    reached = Math.max(reached, east);
  }
  if (gap === 0) return null;
  const ordered = [
    ...spans.slice(first),
    ...spans.slice(0, first).map((span) => ({ ...span, ...shifted(span, 1) })),
  ];
  const turns = new Array<number>(parts.length).fill(0);
  for (const { part, west } of ordered) {
    turns[part] = Math.round((west - least((parts[part] ?? []).map(([x]) => x))) / TURN);
  }
  const [{ west } = { west: 0 }] = ordered;
  return { west, east: greatest(ordered.map(({ east }) => east)), turns };
}

/** With the west between −180 and 180. */
function spanOf(part: readonly Position[], index: number): Span {
  const longitudes = part.map(([longitude]) => longitude);
  const span = { part: index, west: least(longitudes), east: greatest(longitudes) };
  return { ...span, ...shifted(span, -Math.floor((span.west + 180) / TURN)) };
}

function shifted({ west, east }: Omit<Span, "part">, turns: number): Omit<Span, "part"> {
  return { west: turned(west, turns), east: turned(east, turns) };
}

/** Of lists of any length. */
export function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

export function greatest(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}
