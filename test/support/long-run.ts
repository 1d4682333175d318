import { parseArgs } from "node:util";

export type LongRun = {
  readonly seconds: number;
  readonly seed: number;
  /** Prints how far the run is, with its time so far. */
  readonly tell: (progress: string) => void;
};

/** A run of the length and from the seed that `--minutes N --seed S` name; one minute from 1 without. */
export function longRun(): LongRun {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "1" },
      seed: { type: "string", default: "1" },
    },
  });
  const seconds = Number(values.minutes) * 60;
  const seed = Number(values.seed);
  if (!(seconds > 0) || !Number.isInteger(seed)) throw new RangeError("--minutes N --seed S");
  const began = Date.now();
  const tell = (progress: string): void =>
    console.log(`${Math.round((Date.now() - began) / 1_000)} s: ${progress}`);
  return { seconds, seed, tell };
}
