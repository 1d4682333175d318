import { parkMiller } from "./park-miller.ts";

/** S4: 300 pairs of magnitudes of the same earthquakes, in two scales with errors of 0.2 and 0.1. */
export function syntheticS4(): { readonly x: Float64Array; readonly y: Float64Array } {
  const draw = parkMiller(4242);
  const x = new Float64Array(300);
  const y = new Float64Array(300);
  for (let i = 0; i < x.length; i++) {
    const magnitude = 4 + 3 * draw() ** 2;
    x[i] = hundredths((magnitude - 2) / 0.7 + 0.2 * normal(draw(), draw()));
    y[i] = hundredths(magnitude + 0.1 * normal(draw(), draw()));
  }
  return { x, y };
}

function normal(first: number, second: number): number {
  return Math.sqrt(-2 * Math.log(first)) * Math.cos(2 * Math.PI * second);
}

function hundredths(value: number): number {
  return Math.floor(100 * value + 0.5) / 100;
}
