import { parkMiller } from "./park-miller.ts";

/**
 * S1: magnitudes of b = 1, of which a network detects fewer and fewer below 1.2: 13,778 of 200,000.
 */
export function syntheticS1(): number[] {
  const draw = parkMiller(20_261_122);
  const magnitudes: number[] = [];
  for (let i = 0; i < 200_000; i++) {
    const magnitude = -Math.log10(draw());
    if (draw() < 1 / (1 + Math.exp(-(magnitude - 1.2) / 0.1))) magnitudes.push(magnitude);
  }
  return magnitudes;
}
