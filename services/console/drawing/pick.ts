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
 * The event whose disc is at a place of a picture; beside all discs the nearest. Of several discs it is the
 * one whose middle is nearest, in parts of its radius: so a small one upon a large one is picked at its own
 * middle, and the large one at its middle and wherever small ones leave some of it.
 * @returns the event's index in its columns; null without one
 */
export function nearest(
  { count, x, y, index }: Seen,
  at: Place,
  ratio: number,
  discs: Discs,
): number | null {
  let [inside, nearestPart, smallest] = [-1, 1, UNKNOWN_SIZE + 1];
  let [beside, least] = [-1, AIM * ratio];
  for (let n = 0; n < count; n++) {
    const i = index[n] ?? 0;
    const size = discs?.sizes[i] ?? 0;
    const diameter = discs ? drawnDiameter(diameterOfSize(size), discs.scale) : HIDDEN_DIAMETER;
    const radius = (diameter / 2) * ratio;
    const far = Math.hypot((x[n] ?? 0) - at.x, (y[n] ?? 0) - at.y);
    const part = far / radius;
    // Around one middle the larger ones have room beside the smallest; of equal ones the last lies on top.
    if (part < nearestPart || (part === nearestPart && diameter <= smallest)) {
      [inside, nearestPart, smallest] = [i, part, diameter];
    } else if (far - radius <= least) [beside, least] = [i, far - radius];
  }
  const hit = inside >= 0 ? inside : beside;
  return hit >= 0 ? hit : null;
}
