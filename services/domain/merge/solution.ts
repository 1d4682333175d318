import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { AssessedMember } from "./group-member.ts";
import type { Ranking } from "./ranking.ts";

/** A strategy's result for a group. */
export type Solution = {
  readonly record: SeismicEventRecord;
  /** The chosen member first. */
  readonly ranked: readonly AssessedMember[];
  readonly reason: string;
};

/** The best member's own record. */
export function solutionOfBest({ ranked, reason }: Ranking): Solution {
  return { record: bestOf(ranked).record, ranked, reason };
}

/** @throws RangeError without members */
export function bestOf(ranked: readonly AssessedMember[]): AssessedMember {
  const [best] = ranked;
  if (best === undefined) throw new RangeError("a group has at least one member");
  return best;
}
