import { UNKNOWN_SIZE } from "./discs.ts";
import type { Projected } from "./mercator.ts";
import { worldSize } from "./mercator.ts";

/** A picture of a part of the world, in pixels of the screen. */
export type View = {
  /** Where the picture's left upper corner lies in the world at this zoom, pixels; any turn of it. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly zoom: number;
  /** Pixels of the picture for one of the screen. */
  readonly ratio: number;
};

/** Events in a view, oldest first; an event stands twice where the view is wider than the world. */
export type Seen = {
  count: number;
  /** Pixels of the picture. */
  readonly x: Int32Array;
  readonly y: Int32Array;
  /** The events' indexes in their columns. */
  readonly index: Uint32Array;
};

export function roomFor(events: number): Seen {
  return {
    count: 0,
    x: new Int32Array(events),
    y: new Int32Array(events),
    index: new Uint32Array(events),
  };
}

/**
 * Finds the events of a view, and those whose disc may reach into it.
 * @param shown indexes of the events that pass the filters, ascending; null for all
 * @param margin pixels of the picture beside it
 * @param seen gets them, as many as it has room for
 */
export function look(
  { x, y }: Projected,
  indexes: Uint32Array | null,
  view: View,
  margin: number,
  seen: Seen,
): void {
  const world = worldSize(view.zoom) * view.ratio;
  const [left, top] = [view.left * view.ratio, view.top * view.ratio];
  const right = Math.ceil(view.width * view.ratio) + margin;
  const bottom = Math.ceil(view.height * view.ratio) + margin;
  // The turn of the world in which the view's left edge lies.
  const turn = Math.floor((left - margin) / world) * world;
  const shift = turn - left;
  const events = indexes ? indexes.length : x.length;
  const room = seen.index.length;
  let count = 0;
  for (let n = events - 1; n >= 0; n--) {
    const i = indexes ? (indexes[n] ?? 0) : n;
    const py = Math.round((y[i] ?? 0) * world - top);
    if (py < -margin || py >= bottom) continue;
    let px = Math.round((x[i] ?? 0) * world + shift);
    if (px < -margin) px = Math.round(px + world);
    for (; px < right && count < room; px = Math.round(px + world)) {
      seen.x[count] = px;
      seen.y[count] = py;
      seen.index[count] = i;
      count++;
    }
  }
  seen.count = count;
}

/**
 * The seen events with the largest discs, in the same order.
 * @param most so many at most
 * @param sizes of all events (`sizesOf`)
 */
export function largestOf(seen: Seen, sizes: Uint8Array, most: number): Seen {
  const bySize = new Uint32Array(UNKNOWN_SIZE + 1);
  for (let n = 0; n < seen.count; n++) {
    const size = sizes[seen.index[n] ?? 0] ?? 0;
    bySize[size] = (bySize[size] ?? 0) + 1;
  }
  let least = UNKNOWN_SIZE;
  for (let sum = 0; least > 0; least--) {
    sum += bySize[least - 1] ?? 0;
    if (sum > most) break;
  }
  const large = roomFor(most);
  for (let n = 0; n < seen.count && large.count < most; n++) {
    const i = seen.index[n] ?? 0;
    const size = sizes[i] ?? 0;
    if (size < least || size === UNKNOWN_SIZE) continue;
    large.x[large.count] = seen.x[n] ?? 0;
    large.y[large.count] = seen.y[n] ?? 0;
    large.index[large.count] = i;
    large.count++;
  }
  return large;
}
