import { MIN_DIAMETER, UNKNOWN_SIZE } from "./discs.ts";
import type { Seen } from "./view.ts";

/** A finger's and a mouse's aim, pixels of the screen. */
const AIM = 3;

type Place = { readonly x: number; readonly y: number };

/**
 * The topmost event whose disc is at a place of a picture; among events without discs the nearest.
 * @param sizes of all events' discs; null where a density is drawn
 * @returns the event's index in its columns; null without one
 */
export function nearest(
  { count, x, y, index }: Seen,
  at: Place,
  ratio: number,
  sizes: Uint8Array | null,
): number | null {
  let nearestIndex: number | null = null;
  let best = Number.POSITIVE_INFINITY;
  // The last one drawn lies on top.
  for (let n = count - 1; n >= 0; n--) {
    const i = index[n] ?? 0;
    const size = sizes?.[i] ?? MIN_DIAMETER;
    const radius = ((size === UNKNOWN_SIZE ? MIN_DIAMETER : size) / 2 + AIM) * ratio;
    const far = Math.hypot((x[n] ?? 0) - at.x, (y[n] ?? 0) - at.y) / radius;
    if (far > 1) continue;
    // Within its own disc the topmost; beside discs the nearest.
    if (sizes && far * radius <= radius - AIM * ratio) return i;
    if (far < best) [nearestIndex, best] = [i, far];
  }
  return nearestIndex;
}
