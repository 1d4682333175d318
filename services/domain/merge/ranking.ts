import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { AssessedMember } from "./group-member.ts";
import { countKnownFields, countPopulatedFields } from "./known.ts";

export type Criterion = {
  /** Negative when `a` is preferred, positive when `b` is. */
  compare(a: AssessedMember, b: AssessedMember): number;
  /** Why the best was preferred to the next, for people. */
  reason(best: AssessedMember, next: AssessedMember): string;
  /** The reason given when the criterion does not decide. */
  readonly tie: string;
};

export type Ranking = {
  /** Best first. */
  readonly ranked: readonly AssessedMember[];
  readonly reason: string;
};

/**
 * The members ordered by the first criterion that distinguishes them, and why the best precedes the
 * next.
 */
export function rank(members: readonly AssessedMember[], criteria: readonly Criterion[]): Ranking {
  const ranked = members.toSorted(comparedBy(criteria));
  return { ranked, reason: reasonOf(ranked, criteria) };
}

/** Compares by the first criterion that distinguishes two members. */
export function comparedBy(criteria: readonly Criterion[]) {
  return (a: AssessedMember, b: AssessedMember): number => {
    for (const { compare } of criteria) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function reasonOf([best, next]: readonly AssessedMember[], criteria: readonly Criterion[]): string {
  if (best === undefined || next === undefined) return "only event of its group";
  const ties: string[] = [];
  for (const criterion of criteria) {
    if (criterion.compare(best, next) !== 0) {
      return [...ties, criterion.reason(best, next)].join(", ");
    }
    ties.push(criterion.tie);
  }
  return ties.join(", ");
}

export const HIGHER_QUALITY: Criterion = {
  compare: (a, b) => b.score - a.score,
  reason: (best, next) =>
    `higher quality score: ${best.score.toFixed(2)} against ${next.score.toFixed(2)}`,
  tie: "equal quality scores",
};

/** Counts every attribute that is not null, for the strategy `complete`. */
export const MORE_POPULATED_FIELDS = moreFields(countPopulatedFields);

/** Counts informative attributes only: the type of a missing magnitude gives no preference. */
const MORE_KNOWN_FIELDS = moreFields(countKnownFields);

function moreFields(count: (record: SeismicEventRecord) => number): Criterion {
  return {
    compare: (a, b) => count(b.record) - count(a.record),
    reason: (best, next) =>
      `more populated fields: ${count(best.record)} against ${count(next.record)}`,
    tie: "equally many populated fields",
  };
}

export const LATER_ORIGIN_TIME: Criterion = {
  compare: (a, b) => compareTimes(b.record.time, a.record.time),
  reason: (best, next) => `later origin time: ${best.record.time} against ${next.record.time}`,
  tie: "equal origin times",
};

export const EARLIER_SOURCE: Criterion = {
  compare: (a, b) => a.sourceOrder - b.sourceOrder,
  reason: (best) => `earlier in the order of sources: ${best.source}`,
  tie: "the same source",
};

export const LOWER_ID: Criterion = {
  compare: (a, b) => compareText(a.eventId, b.eventId),
  reason: (best) => `lower id: ${best.eventId}`,
  tie: "the same id",
};

/** Criteria for equal numbers of fields; the id comes last, so the order is always determined. */
export const TIES_OF_FIELDS: readonly Criterion[] = [LATER_ORIGIN_TIME, EARLIER_SOURCE, LOWER_ID];

/** Criteria for when a strategy does not decide. */
export const TIE_BREAKS: readonly Criterion[] = [MORE_KNOWN_FIELDS, ...TIES_OF_FIELDS];

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A strategy's result for a group. */
export type Solution = {
  readonly record: SeismicEventRecord;
  /** The chosen member first. */
  readonly ranked: readonly AssessedMember[];
  /** The member whose magnitude it has. */
  readonly magnitudeOf: AssessedMember;
  /** Whether its time and place are a mean and no member's. */
  readonly isMean: boolean;
  readonly reason: string;
};

/** The best member's own record. */
export function solutionOfBest({ ranked, reason }: Ranking): Solution {
  const best = bestOf(ranked);
  return { record: best.record, ranked, magnitudeOf: best, isMean: false, reason };
}

/** @throws RangeError without members */
export function bestOf(ranked: readonly AssessedMember[]): AssessedMember {
  const [best] = ranked;
  if (best === undefined) throw new RangeError("a group has at least one member");
  return best;
}
