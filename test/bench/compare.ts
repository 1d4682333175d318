import type { Result } from "./report.ts";
import { secondsOf, spreadOf } from "./statistics.ts";

export type Comparison = Pick<Result, "ours" | "yardstickFigure" | "ratio">;

/** One round of a case: what the service took and what its yardstick took. */
export type Round = readonly [ours: number, yardstick: number];

/**
 * Repeats a round that measures both sides, so that what else the machine does meets both.
 * @param warmUps rounds before them that are not counted
 */
export async function compare(
  repetitions: number,
  measure: () => Promise<Round>,
  warmUps = 1,
): Promise<Comparison> {
  const rounds: Round[] = [];
  for (let i = -warmUps; i < repetitions; i += 1) {
    const round = await measure();
    if (i >= 0) rounds.push(round);
  }
  return comparisonOf(rounds);
}

/**
 * Repeats each side by itself, in seconds: ours is held against the mean of the yardstick before and after
 * it, so that a machine that becomes slower or faster meanwhile does so for both.
 * @param warmUps rounds before them that are not counted
 */
export async function compareBetween(
  repetitions: number,
  ours: () => Promise<unknown>,
  yardstick: () => Promise<unknown>,
  warmUps = 1,
): Promise<Comparison> {
  const rounds: Round[] = [];
  let before = await secondsOf(yardstick);
  for (let i = -warmUps; i < repetitions; i += 1) {
    const seconds = await secondsOf(ours);
    const after = await secondsOf(yardstick);
    if (i >= 0) rounds.push([seconds, (before + after) / 2]);
    before = after;
  }
  return comparisonOf(rounds);
}

export function comparisonOf(rounds: readonly Round[]): Comparison {
  return {
    ours: spreadOf(rounds.map(([ours]) => ours)),
    yardstickFigure: spreadOf(rounds.map(([, yardstick]) => yardstick)),
    ratio: spreadOf(rounds.map(([ours, yardstick]) => ours / yardstick)).median,
  };
}
