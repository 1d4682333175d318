import { diameterOfSize, drawnDiameter, UNKNOWN_SIZE } from "./discs.ts";
import type { Seen } from "./view.ts";

/** A finger's and a mouse's aim, pixels of the screen. */
const AIM = 3;
/** As large as what a density hides. */
const HIDDEN_DIAMETER = 5;

type Place = { readonly x: number; readonly y: number };

/** How the discs are drawn; null where a density is drawn in place of them. */
type Discs = { readonly sizes: Uint8Array; readonly scale: number } | null;

/**
 * The event whose disc is at a place of a picture: of several the smallest, which is seen through the
 * larger ones; beside all discs the nearest.
 * @returns the event's index in its columns; null without one
 */
export function nearest(
  { count, x, y, index }: Seen,
  at: Place,
  ratio: number,
  discs: Discs,
): number | null {
  let [inside, smallest] = [-1, UNKNOWN_SIZE + 1];
  let [beside, least] = [-1, AIM * ratio];
  for (let n = 0; n < count; n++) {
    const i = index[n] ?? 0;
    const size = discs?.sizes[i] ?? 0;
    const diameter = discs ? drawnDiameter(diameterOfSize(size), discs.scale) : HIDDEN_DIAMETER;
    const far = Math.hypot((x[n] ?? 0) - at.x, (y[n] ?? 0) - at.y) - (diameter / 2) * ratio;
    // Of equal ones the last one drawn lies on top.
    if (far <= 0 && diameter <= smallest) [inside, smallest] = [i, diameter];
    else if (far <= least) [beside, least] = [i, far];
  }
  const hit = inside >= 0 ? inside : beside;
  return hit >= 0 ? hit : null;
}
