import type { Step } from "../../map/base/polyline.ts";

/** Leaves out points that lie within `tolerance` steps of the line between the others (Douglas and Peucker, 1973). */
export function simplified(points: readonly Step[], tolerance: number): readonly Step[] {
  const keep = new Uint8Array(points.length);
  keep[0] = 1;
  keep[points.length - 1] = 1;
  const stretches: [number, number][] = [[0, points.length - 1]];
  for (let stretch = stretches.pop(); stretch; stretch = stretches.pop()) {
    const [from, to] = stretch;
    let [farthest, most] = [-1, tolerance];
    for (let i = from + 1; i < to; i++) {
      const far = distance(points[i], points[from], points[to]);
      if (far > most) [farthest, most] = [i, far];
    }
    if (farthest < 0) continue;
    keep[farthest] = 1;
    stretches.push([from, farthest], [farthest, to]);
  }
  return points.filter((_, i) => keep[i] === 1);
}

/** From a point to the stretch between two others, steps. */
function distance(at: Step = [0, 0], from: Step = at, to: Step = at): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = dx * dx + dy * dy;
  const along = ((at[0] - from[0]) * dx + (at[1] - from[1]) * dy) / (length || 1);
  const share = Math.max(0, Math.min(1, along));
  return Math.hypot(at[0] - from[0] - share * dx, at[1] - from[1] - share * dy);
}
