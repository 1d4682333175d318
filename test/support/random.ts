import { randomOf } from "./generate-catalogue.ts";

/** Choices that are the same for the same seed. */
export type Random = {
  /** A whole number from 0 to `count` − 1. */
  readonly below: (count: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
  /** True in `share` of the cases. */
  readonly chance: (share: number) => boolean;
};

export function createRandom(seed: number): Random {
  const next = randomOf(seed);
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    pick: (list) => {
      const item = list[below(list.length)];
      if (item === undefined) throw new RangeError("nothing to choose from");
      return item;
    },
    chance: (share) => next() < share,
  };
}
