/** A point in whole steps of a grid. */
export type Step = readonly [x: number, y: number];

const CHUNK = 32;
const FIRST_CHARACTER = 63;

/** A line as text, as `services/console/map/base/rings.ts` reads it. */
export function encodeLine(points: readonly Step[]): string {
  let [lastX, lastY] = [0, 0];
  let text = "";
  for (const [x, y] of points) {
    text += encodeNumber(x - lastX) + encodeNumber(y - lastY);
    [lastX, lastY] = [x, y];
  }
  return text;
}

function encodeNumber(value: number): string {
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  let text = "";
  while (rest >= CHUNK) {
    text += String.fromCharCode((rest % CHUNK) + CHUNK + FIRST_CHARACTER);
    rest = Math.floor(rest / CHUNK);
  }
  return text + String.fromCharCode(rest + FIRST_CHARACTER);
}
