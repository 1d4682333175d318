import { TURN } from "../seismic-event/longitude.ts";
import { vertexOf } from "./edges.ts";
import { linesBelow } from "./grid-lines.ts";
import { orientation, type Point } from "./orientation.ts";
import { INSIDE, OUTSIDE, type ShapeIndex } from "./shape-index.ts";

/** Whether a place is in a shape or on its edge: degrees, the longitude between −180 and 180. */
export function containsPlace(index: ShapeIndex, longitude: number, latitude: number): boolean {
  if (Math.abs(latitude) === 90) return index.edges.latitudes.includes(latitude);
  return turnsOver(index).some((turns) =>
    containsPoint(index, { x: longitude, turns, y: latitude }),
  );
}

/** Whole turns after which a longitude may lie between a shape's first and last. */
export function turnsOver({ meridians }: ShapeIndex): readonly number[] {
  const first = Math.ceil(((meridians[0] ?? 0) - TURN / 2) / TURN);
  const last = Math.floor(((meridians.at(-1) ?? 0) + TURN / 2) / TURN);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function containsPoint(index: ShapeIndex, place: Point): boolean {
  const { meridians, parallels, states } = index;
  const column = linesBelow(meridians, place.x + TURN * place.turns);
  const row = linesBelow(parallels, place.y);
  const cell = row * (meridians.length + 1) + column;
  const state = states[cell];
  if (state === OUTSIDE || state === INSIDE) return state === INSIDE;
  const point = {
    x: index.pointLongitudes[column - 1] ?? Number.NaN,
    turns: 0,
    y: index.pointLatitudes[row - 1] ?? Number.NaN,
  };
  return isInMixed(index, linesBelow(index.mixed, cell) - 1, point, place);
}

function isInMixed(index: ShapeIndex, cell: number, point: Point, place: Point): boolean {
  const { edges, starts, entries, slots } = index;
  const around = new Set<number>();
  const toggle = (slot: number): void => {
    if (!around.delete(slot)) around.add(slot);
  };
  for (const entry of entries.subarray(starts[cell], starts[cell + 1])) {
    if (entry < 0) {
      toggle(-1 - entry);
      continue;
    }
    const edge = Math.floor(entry / slots / 2);
    const [a, b] = [vertexOf(edges, edge), vertexOf(edges, edge + 1)];
    const side = orientation(a, b, place);
    if (side === 0) {
      if (isBetween(a, b, place)) return true;
      continue;
    }
    const isLeft = Math.floor(entry / slots) % 2 === 1;
    if (side > 0 === isLeft) continue;
    const isCrossed = orientation(point, place, a) >= 0 !== orientation(point, place, b) >= 0;
    if (isCrossed) toggle(entry % slots);
  }
  return around.size > 0;
}

/** Whether a place on the line of an edge is on the edge. */
function isBetween(a: Point, b: Point, place: Point): boolean {
  if (a.y !== b.y) return Math.min(a.y, b.y) <= place.y && place.y <= Math.max(a.y, b.y);
  return place.y === a.y && eastOf(a, place) * eastOf(b, place) <= 0;
}

/** Positive where a point lies east of another, negative where west, 0 where neither, exactly. */
function eastOf(other: Point, point: Point): number {
  return Math.sign(orientation({ ...other, y: 1 }, { ...other, y: 0 }, point));
}
