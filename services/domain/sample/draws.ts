import type { Random } from "../statistics/numbers/seeded-random.ts";

/** Draws of one seed, by the distributions that earthquakes follow. */
export type Draws = {
  readonly between: (from: number, to: number) => number;
  readonly normal: (mean: number, deviation: number) => number;
  /** Whether something of this probability happens. */
  readonly happens: (probability: number) => boolean;
  /** Gutenberg–Richter with b = 1 from `least` on. */
  readonly magnitude: (least: number, most: number) => number;
  /** Days after a main shock, up to `days`, by Omori–Utsu with c = 0.03 d and p = 1.1. */
  readonly omoriDays: (days: number) => number;
};

const OMORI = { c: 0.03, p: 1.1 };

export function createDraws(random: Random): Draws {
  const between = (from: number, to: number) => from + (to - from) * random();
  // Box and Muller; the logarithm is of a draw above 0.
  const normal = (mean: number, deviation: number) =>
    mean + deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const magnitude = (least: number, most: number): number => {
    const share = 1 - 10 ** (least - most);
    return least - Math.log10(1 - share * random());
  };
  const omoriDays = (days: number): number => {
    const power = 1 - OMORI.p;
    const first = OMORI.c ** power;
    const last = (days + OMORI.c) ** power;
    return (first + (last - first) * random()) ** (1 / power) - OMORI.c;
  };
  return {
    between,
    normal,
    happens: (probability) => random() < probability,
    magnitude,
    omoriDays,
  };
}
