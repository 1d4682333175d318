import type { Colour } from "./discs.ts";
import { type Picture, wordOf } from "./picture.ts";
import type { Seen } from "./view.ts";

/** Side of a square whose events are counted, pixels of the screen. */
const SIDE = 3;

/**
 * Draws how many events lie in each small square.
 * @param shades from few events to many
 * @returns the least number of events for each shade
 */
export function drawDensity(
  { image, margin, ratio }: Picture,
  seen: Seen,
  shades: readonly Colour[],
): readonly number[] {
  const side = Math.round(SIDE * ratio);
  const columns = Math.ceil(image.width / side);
  const counts = new Uint32Array(columns * Math.ceil(image.height / side));
  let most = 0;
  for (let n = 0; n < seen.count; n++) {
    const column = Math.floor(((seen.x[n] ?? 0) + margin) / side);
    const row = Math.floor(((seen.y[n] ?? 0) + margin) / side);
    const square = row * columns + column;
    const count = (counts[square] ?? 0) + 1;
    counts[square] = count;
    if (count > most) most = count;
  }
  const from = densitySteps(most, shades.length);
  const pixels = new Uint32Array(image.data.buffer);
  const words = shades.map(wordOf);
  for (let square = 0; square < counts.length; square++) {
    const count = counts[square] ?? 0;
    if (count === 0) continue;
    const shade = shadeOf(count, from);
    const left = (square % columns) * side;
    const top = Math.floor(square / columns) * side;
    const right = Math.min(left + side, image.width);
    const bottom = Math.min(top + side, image.height);
    for (let y = top; y < bottom; y++) {
      pixels.fill(words[shade] ?? 0, y * image.width + left, y * image.width + right);
    }
  }
  return from;
}

/** Which shade a number has, of shades that begin at `from`. */
export function shadeOf(count: number, from: readonly number[]): number {
  let shade = 0;
  while (shade + 1 < from.length && count >= (from[shade + 1] ?? 0)) shade++;
  return shade;
}

/** Numbers at which shades begin: ascending from 1 by about equal factors, round, the last below `most`. */
export function densitySteps(most: number, shades: number): readonly number[] {
  const factor = most ** (1 / shades);
  const steps = [1];
  for (let i = 1; i < shades; i++) {
    const step = roundStep(factor ** i);
    steps.push(Math.max(step, (steps.at(-1) ?? 0) + 1));
  }
  return steps;
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const first = value / power;
  return power * (first < 1.5 ? 1 : first < 3.5 ? 2 : first < 7.5 ? 5 : 10);
}
