/**
 * Lines as text, five bits a character: the encoded polyline algorithm, with whole steps of any size
 * in place of its hundred-thousandths of a degree.
 */

/** A point in whole steps of a grid. */
export type Step = readonly [x: number, y: number];

const CHUNK = 32;
const FIRST_CHARACTER = 63;

export function encodeLine(points: readonly Step[]): string {
  let [lastX, lastY] = [0, 0];
  let text = "";
  for (const [x, y] of points) {
    text += encodeNumber(x - lastX) + encodeNumber(y - lastY);
    [lastX, lastY] = [x, y];
  }
  return text;
}

/** The steps of a line, x and y in turn. */
export function decodeLine(text: string): number[] {
  const steps: number[] = [];
  const last = [0, 0];
  let axis = 0;
  for (let at = 0; at < text.length; axis = 1 - axis) {
    let [value, place, chunk] = [0, 1, 0];
    do {
      chunk = text.charCodeAt(at++) - FIRST_CHARACTER;
      value += (chunk % CHUNK) * place;
      place *= CHUNK;
    } while (chunk >= CHUNK);
    const step = value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    last[axis] = (last[axis] ?? 0) + step;
    steps.push(last[axis] ?? 0);
  }
  return steps;
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
