import { unknownCase } from "#contracts/cases.ts";
import { greatCircleKm } from "#contracts/geometry/globe.ts";
import type {
  MagnitudeConversion,
  MergeConfig,
  MergeStrategy,
  Preference,
} from "#contracts/merges/config.ts";
import type { GivenGroup, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { compareTimes } from "#contracts/seismic-event/time.ts";
import { resolvedConversions } from "../../events/magnitude-conversion.ts";
import { magnitudeRank } from "../../events/magnitudes.ts";
import { nearness, type Thresholds, thresholdsOf } from "../grouping/thresholds.ts";
import { meanPosition, meanTime, positionSigmaKm, type Weights, weightsOf } from "./means.ts";
import {
  type AssessedMember,
  countKnownFields,
  countPopulatedFields,
  isMeasured,
} from "./quality-score.ts";

/** How a group of events becomes one. */
export type MergeRules = {
  readonly strategy: MergeStrategy;
  /** Label of the preferred source for `priority`; may be empty. */
  readonly priority: string;
  /** The thresholds of the grouping: the unit of distances for `average`. */
  readonly thresholds: Thresholds;
  /** Groups of attributes that are chosen by themselves. */
  readonly prefer?: { readonly [G in GivenGroup]?: Preference | undefined } | undefined;
  readonly minMagnitudeStations?: number | undefined;
  readonly conversions?: readonly MagnitudeConversion[] | undefined;
};

export function mergeRulesOf({
  timeThreshold,
  distanceThreshold,
  mergeStrategy: strategy,
  priority,
  prefer,
  minMagnitudeStations,
  conversions,
}: MergeConfig): MergeRules {
  return {
    strategy,
    priority,
    thresholds: thresholdsOf(timeThreshold, distanceThreshold),
    prefer,
    minMagnitudeStations,
    conversions: conversions && resolvedConversions(conversions),
  };
}

/** What a strategy makes of a group. */
export function solve(members: readonly AssessedMember[], rules: MergeRules): Solution {
  if (members.length === 1) return solutionOfBest(rank(members, []));
  return rules.strategy === "average"
    ? byAverage(members, rules.thresholds)
    : solutionOfBest(rank(members, criteriaOf(members, rules)));
}

/** By what a strategy prefers one member of a group to another. */
export function criteriaOf(
  members: readonly AssessedMember[],
  { strategy, priority, thresholds }: MergeRules,
): readonly Criterion[] {
  switch (strategy) {
    case "quality":
      return [HIGHER_QUALITY, ...TIE_BREAKS];
    case "priority":
      return byPriority(priority);
    case "average":
      return meanOf(members, thresholds).criteria;
    case "newest":
      return [LATER_ORIGIN_TIME, ...TIE_BREAKS];
    case "complete":
      return [MORE_POPULATED_FIELDS, ...TIES_OF_FIELDS];
    default:
      return unknownCase(strategy);
  }
}

/**
 * Prefers the source whose label is `priority`, ignoring case. If no member or several have that
 * label, or it is empty, the first in the order of sources.
 */
function byPriority(priority: string): Criterion[] {
  const order = [EARLIER_SOURCE, LOWER_ID];
  if (priority === "") return order;
  const wanted = priority.toLowerCase();
  const distance = ({ source }: AssessedMember) => (source.toLowerCase() === wanted ? 0 : 1);
  const preferred: Criterion = {
    compare: (a, b) => distance(a) - distance(b),
    reason: (best) => `source of priority: ${best.source}`,
    tie: `priority ${priority} does not decide`,
  };
  return [preferred, ...order];
}

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
function comparedBy(criteria: readonly Criterion[]) {
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

const HIGHER_QUALITY: Criterion = {
  compare: (a, b) => b.score - a.score,
  reason: (best, next) =>
    `higher quality score: ${best.score.toFixed(2)} against ${next.score.toFixed(2)}`,
  tie: "equal quality scores",
};

/** Counts every attribute that is not null, for the strategy `complete`. */
const MORE_POPULATED_FIELDS = moreFields(countPopulatedFields);

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

const LATER_ORIGIN_TIME: Criterion = {
  compare: (a, b) => compareTimes(b.record.time, a.record.time),
  reason: (best, next) => `later origin time: ${best.record.time} against ${next.record.time}`,
  tie: "equal origin times",
};

const EARLIER_SOURCE: Criterion = {
  compare: (a, b) => a.sourceOrder - b.sourceOrder,
  reason: (best) => `earlier in the order of sources: ${best.source}`,
  tie: "the same source",
};

const LOWER_ID: Criterion = {
  compare: (a, b) => Number(a.eventId > b.eventId) - Number(a.eventId < b.eventId),
  reason: (best) => `lower id: ${best.eventId}`,
  tie: "the same id",
};

/** Criteria for equal numbers of fields; the id comes last, so the order is always determined. */
const TIES_OF_FIELDS: readonly Criterion[] = [LATER_ORIGIN_TIME, EARLIER_SOURCE, LOWER_ID];

/** Criteria for when a strategy does not decide. */
const TIE_BREAKS: readonly Criterion[] = [MORE_KNOWN_FIELDS, ...TIES_OF_FIELDS];

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
function solutionOfBest({ ranked, reason }: Ranking): Solution {
  const best = bestOf(ranked);
  return { record: best.record, ranked, magnitudeOf: best, isMean: false, reason };
}

/** @throws RangeError without members */
export function bestOf(ranked: readonly AssessedMember[]): AssessedMember {
  const [best] = ranked;
  if (best === undefined) throw new RangeError("a group has at least one member");
  return best;
}

/** Weighted means of position and time, and the order in which the members of a group are near to them. */
function meanOf(members: readonly AssessedMember[], thresholds: Thresholds) {
  const records = members.map(({ record }) => record);
  const positionWeights = weightsOf(records.map(positionSigmaKm));
  const timeWeights = weightsOf(records.map((record) => record.time_uncertainty));
  const { latitude, longitude } = meanPosition(records, positionWeights.values);
  const { time, micros } = meanTime(
    records.map((record) => record.time),
    timeWeights.values,
  );
  const nearnesses = new Map(
    members.map((member, i) => [
      member.eventId,
      nearness(micros[i] ?? 0, greatCircleKm({ latitude, longitude }, member.record), thresholds),
    ]),
  );
  return {
    place: { time, latitude, longitude },
    /** Distances are those of grouping; between equally near members quality decides. */
    criteria: [nearerToMean(nearnesses), HIGHER_QUALITY, ...TIE_BREAKS],
    /** For people. */
    text: `mean of ${members.length} events, position ${weighting(positionWeights)}, time ${weighting(timeWeights)}`,
  };
}

/**
 * Weighted mean of position and time; magnitude of the best type and depth of the lowest
 * uncertainty, each with its own attributes and never averaged; all other attributes from the member
 * nearest to the mean.
 */
function byAverage(members: readonly AssessedMember[], thresholds: Thresholds): Solution {
  const { place, criteria, text } = meanOf(members, thresholds);
  const { ranked, reason } = rank(members, criteria);
  const best = bestOf(ranked);
  const known = ranked.filter(({ record }) => record.magnitude !== null);
  // Of equally good ones the nearest to the mean.
  const magnitudeOf = known.toSorted(comparedBy(BETTER_MAGNITUDE))[0] ?? best;
  return {
    record: { ...best.record, ...place, ...magnitudeIn(magnitudeOf.record), ...depthOf(ranked) },
    ranked,
    magnitudeOf,
    isMean: true,
    reason: `${text}; ${reason}`,
  };
}

function nearerToMean(nearnesses: ReadonlyMap<string, number>): Criterion {
  const of = ({ eventId }: AssessedMember) => nearnesses.get(eventId) ?? 0;
  return {
    compare: (a, b) => of(a) - of(b),
    reason: (best) => `nearest to it: ${best.source}`,
    tie: "equally near to it",
  };
}

function weighting({ isByUncertainty }: Weights): string {
  return isByUncertainty ? "weighted by uncertainty" : "weighted equally";
}

function magnitudeIn(record: SeismicEventRecord) {
  const { magnitude, magnitude_type, magnitude_uncertainty, magnitude_station_count } = record;
  return { magnitude, magnitude_type, magnitude_uncertainty, magnitude_station_count };
}

const stationsOf = ({ record }: AssessedMember) => record.magnitude_station_count ?? 0;
const typeOf = ({ record }: AssessedMember) => record.magnitude_type ?? "none";
const typeRank = ({ record }: AssessedMember) => magnitudeRank(record.magnitude_type);

/** Magnitudes are never averaged: best type, then lowest uncertainty, then most stations. */
export const BETTER_MAGNITUDE: readonly Criterion[] = [
  {
    compare: (a, b) => typeRank(a) - typeRank(b),
    reason: (best, next) => `better type of magnitude: ${typeOf(best)} against ${typeOf(next)}`,
    tie: "equal types of magnitude",
  },
  {
    compare: (a, b) => lowerFirst(a.record.magnitude_uncertainty, b.record.magnitude_uncertainty),
    reason: () => "lower uncertainty of the magnitude",
    tie: "equal uncertainties of the magnitude",
  },
  {
    compare: (a, b) => stationsOf(b) - stationsOf(a),
    reason: (best, next) =>
      `more stations of the magnitude: ${stationsOf(best)} against ${stationsOf(next)}`,
    tie: "equally many stations of the magnitude",
  },
];

/** Null when no member has a depth with an uncertainty above 0; then the chosen member's depth stays. */
function depthOf(ranked: readonly AssessedMember[]) {
  const [best] = ranked
    .map(({ record }) => record)
    .filter(({ depth, depth_uncertainty: sigma }) => depth !== null && isMeasured(sigma))
    .sort((a, b) => lowerFirst(a.depth_uncertainty, b.depth_uncertainty));
  if (best === undefined) return null;
  const { depth, depth_uncertainty, depth_type } = best;
  return { depth, depth_uncertainty, depth_type };
}

/** Unknown uncertainties come last. */
function lowerFirst(a: number | null, b: number | null): number {
  if (!isMeasured(a) || !isMeasured(b)) return Number(isMeasured(b)) - Number(isMeasured(a));
  return a - b;
}
