import { EARTH_RADIUS_KM } from "#contracts/units.ts";
import type { EventTable } from "../event-table.ts";
import { type BoxTree, buildBoxTree } from "./box-tree.ts";
import { unitVectors } from "./event-grid.ts";
import { logProximity, logProximityAtMost, type ProximityOptions } from "./proximity.ts";

/** The earlier event that is nearest to an event; -1 where there is none. */
export type Nearest = { readonly parent: number; readonly logEta: number };

/** Of each event its place on a sphere of radius 1, and its time (ms). */
type Axes = readonly [x: Float64Array, y: Float64Array, z: Float64Array, time: Float64Array];
type Point = readonly [x: number, y: number, z: number, time: number];

const NONE = new Float64Array();
/** Values of a node's box: the least and the greatest of x, y, z and time. */
const NODE = 8;
const TIME = 6;

/**
 * A tree over the places and times of events that finds for each the earlier one with the least proximity.
 * Exact: a node is passed over only where none of its events can be nearer.
 */
export function createSpaceTimeTree(table: EventTable, options: ProximityOptions) {
  const { length, times, magnitudes } = table;
  const axes: Axes = [...unitVectors(table.latitudes, table.longitudes), times];
  const tree = buildBoxTree(axes, length);
  const distanceKm = (a: number, c: number) => epicentralKm(axes, a, c);
  const eta = (earlier: number, event: number) => {
    const elapsed = (times[event] ?? 0) - (times[earlier] ?? 0);
    return logProximity(options, elapsed, distanceKm(earlier, event), magnitudes[earlier] ?? 0);
  };
  const search = createSearch(tree, [axes, magnitudes], options, eta);
  return { nearest: (event: number) => search(event, length), distanceKm };
}

type Eta = (earlier: number, event: number) => number;

function createSearch(
  tree: BoxTree,
  [axes, magnitudes]: readonly [Axes, Float64Array],
  options: ProximityOptions,
  eta: Eta,
) {
  const { events, firsts, ends, rights } = tree;
  const boundOf = createBound(tree, magnitudes, options);
  const [xs = NONE, ys = NONE, zs = NONE, ts = NONE] = axes.map((axis) => inOrder(events, axis));
  const ms = inOrder(events, magnitudes);
  const times = axes[3];

  /** The nearest earlier event; of equal ones the first. */
  return (event: number, length: number): Nearest => {
    let parent = -1;
    let least = Number.POSITIVE_INFINITY;
    const point = axes.map((axis) => axis[event] ?? 0) as unknown as Point;
    const [x, y, z, time] = point;

    const tryEvent = (other: number) => {
      const near = eta(other, event);
      if (near < least || (near === least && other < parent)) [parent, least] = [other, near];
    };

    function searchLeaf(node: number): void {
      for (let i = firsts[node] ?? 0; i < (ends[node] ?? 0); i += 1) {
        const elapsed = time - (ts[i] ?? 0);
        if (elapsed <= 0) continue;
        const chord2 = squared(x - (xs[i] ?? 0), y - (ys[i] ?? 0), z - (zs[i] ?? 0));
        const lowest = logProximityAtMost(options, elapsed, chord2, ms[i] ?? 0);
        if (lowest <= least) tryEvent(events[i] ?? 0);
      }
    }

    function search(node: number): void {
      const right = rights[node] ?? 0;
      if (right === 0) {
        searchLeaf(node);
        return;
      }
      const left = node + 1;
      const [ofLeft, ofRight] = [boundOf(left, point), boundOf(right, point)];
      const leftFirst = ofLeft <= ofRight;
      for (const isLeft of [leftFirst, !leftFirst]) {
        const bound = isLeft ? ofLeft : ofRight;
        if (bound <= least && bound < Number.POSITIVE_INFINITY) search(isLeft ? left : right);
      }
    }

    // The event before is often near, so that much is passed over from the beginning.
    if (event > 0 && (times[event - 1] ?? 0) < time) tryEvent(event - 1);
    if (length > 0 && (times[0] ?? 0) < time) search(0);
    return { parent, logEta: parent === -1 ? Number.NaN : least };
  };
}

/** No event of a node that precedes a point can have less than its bound; infinite where none precedes it. */
function createBound(
  { events, firsts, ends, boxes }: BoxTree,
  magnitudes: Float64Array,
  options: ProximityOptions,
): (node: number, point: Point) => number {
  const largest = firsts.map((first, node) => {
    let most = Number.NEGATIVE_INFINITY;
    for (let i = first; i < (ends[node] ?? 0); i += 1) {
      most = Math.max(most, magnitudes[events[i] ?? 0] ?? 0);
    }
    return most;
  });
  return (node, [x, y, z, time]) => {
    const at = node * NODE;
    if ((boxes[at + TIME] ?? 0) >= time) return Number.POSITIVE_INFINITY;
    const chord2 = squared(
      outside(x, boxes[at] ?? 0, boxes[at + 1] ?? 0),
      outside(y, boxes[at + 2] ?? 0, boxes[at + 3] ?? 0),
      outside(z, boxes[at + 4] ?? 0, boxes[at + 5] ?? 0),
    );
    const elapsed = time - (boxes[at + TIME + 1] ?? 0);
    return logProximityAtMost(options, elapsed, chord2, largest[node] ?? 0);
  };
}

function inOrder(events: Int32Array, axis: Float64Array): Float64Array {
  return Float64Array.from(events, (event) => axis[event] ?? 0);
}

function squared(dx: number, dy: number, dz: number): number {
  return dx * dx + dy * dy + dz * dz;
}

/** How far a value lies outside an interval. */
function outside(value: number, least: number, greatest: number): number {
  return Math.max(least - value, value - greatest, 0);
}

function epicentralKm([xs, ys, zs]: Axes, a: number, c: number): number {
  const chord2 = squared(
    (xs[a] ?? 0) - (xs[c] ?? 0),
    (ys[a] ?? 0) - (ys[c] ?? 0),
    (zs[a] ?? 0) - (zs[c] ?? 0),
  );
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord2) / 2));
}
