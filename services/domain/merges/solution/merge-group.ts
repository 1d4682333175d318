/** How a merged event is chosen of its members: their scores, the criteria of each strategy, and means of their values. */

import {
  EXTRA_MAGNITUDE_AGENCY,
  EXTRA_OF_MAGNITUDE,
  EXTRA_OF_ORIGIN,
} from "#contracts/bulletin/row.ts";
import { unknownCase } from "#contracts/cases.ts";
import { type Coordinates, cosineOfLatitude, greatCircleKm } from "#contracts/geometry/globe.ts";
import {
  type MagnitudeConversion,
  type MergeConfig,
  type MergeStrategy,
  type Preference,
  sourceLabelOf,
} from "#contracts/merges/config.ts";
import { ATTRIBUTE_NAMES, type AttributeName } from "#contracts/seismic-event/attributes.ts";
import { CONVERTED_FROM } from "#contracts/seismic-event/public-ids.ts";
import {
  GIVEN_GROUPS,
  type GivenGroup,
  type SeismicEventRecord,
  type SourceEvent,
} from "#contracts/seismic-event/seismic-event.ts";
import {
  compareTimes,
  fractionDigits,
  microsToTime,
  timeToMicros,
} from "#contracts/seismic-event/time.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import { MAGNITUDE_NAMES, ORIGIN_NAMES } from "../../bulletins/view.ts";
import {
  agencyOfMagnitude,
  converted,
  fittingConversion,
  resolvedConversions,
} from "../../events/magnitude-conversion.ts";
import { type MagnitudeFamily, magnitudeFamily, magnitudeRank } from "../../events/magnitudes.ts";
import { nearness, type Thresholds, thresholdsOf } from "../grouping/thresholds.ts";

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
function solve(members: readonly AssessedMember[], rules: MergeRules): Solution {
  if (members.length === 1) return solutionOfBest(rank(members, []));
  return rules.strategy === "average"
    ? byAverage(members, rules.thresholds)
    : solutionOfBest(rank(members, criteriaOf(members, rules)));
}

/** By what a strategy prefers one member of a group to another. */
function criteriaOf(
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

type Criterion = {
  /** Negative when `a` is preferred, positive when `b` is. */
  compare(a: AssessedMember, b: AssessedMember): number;
  /** Why the best was preferred to the next, for people. */
  reason(best: AssessedMember, next: AssessedMember): string;
  /** The reason given when the criterion does not decide. */
  readonly tie: string;
};

/**
 * The members ordered by the first criterion that distinguishes them, the best first, and why the best precedes the
 * next.
 */
function rank(members: readonly AssessedMember[], criteria: readonly Criterion[]) {
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

/** Attributes without meaning when the magnitude itself is unknown. */
const OF_MAGNITUDE: ReadonlySet<AttributeName> = new Set([
  "magnitude_type",
  "magnitude_uncertainty",
  "magnitude_station_count",
]);

/** Attributes whose measured values are never exactly 0: many catalogues write 0 for unknown. */
export const NEVER_ZERO: ReadonlySet<AttributeName> = new Set([
  "azimuthal_gap",
  "standard_error",
  "magnitude_uncertainty",
  "depth_uncertainty",
  "horizontal_uncertainty",
  "time_uncertainty",
  "latitude_uncertainty",
  "longitude_uncertainty",
]);

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
type Solution = {
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
function solutionOfBest({ ranked, reason }: ReturnType<typeof rank>): Solution {
  const best = bestOf(ranked);
  return { record: best.record, ranked, magnitudeOf: best, isMean: false, reason };
}

/** @throws RangeError without members */
function bestOf(ranked: readonly AssessedMember[]): AssessedMember {
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

function weighting({ isByUncertainty }: ReturnType<typeof weightsOf>): string {
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
const BETTER_MAGNITUDE: readonly Criterion[] = [
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

type Step = readonly [upTo: number, points: number];

const RMS_STEPS: readonly Step[] = [
  [0.3, 15],
  [0.5, 12],
  [1, 8],
  [2, 4],
];
const MAGNITUDE_UNCERTAINTY_STEPS: readonly Step[] = [
  [0.1, 15],
  [0.2, 12],
  [0.3, 8],
  [0.5, 4],
];
const MAGNITUDE_TYPE_POINTS: Readonly<Record<MagnitudeFamily, number>> = {
  Mww: 15,
  Mwc: 15,
  Mwb: 15,
  Mwr: 15,
  Mw: 15,
  Ms: 12,
  mB: 9,
  mb: 9,
  ML: 6,
  Md: 3,
  other: 0,
};
const STATUS_POINTS = {
  final: 10,
  reviewed: 10,
  confirmed: 6,
  preliminary: 2,
  rejected: 0,
} as const;
const MANUAL_POINTS = 2;
const MAX_REVIEW_POINTS = 10;

/**
 * Scores an event's solution, with the points of each part, 100 in all: 25 for stations, 20 for the gap, 15 each for
 * the RMS, the magnitude's uncertainty and its type, 10 for the review. Missing values have 0. So have an
 * uncertainty, RMS or gap of exactly 0, which means unknown, and attributes of an unknown magnitude.
 */
export function qualityScore(record: SeismicEventRecord) {
  const stations = stationPoints(record.used_station_count);
  const gap = gapPoints(record.azimuthal_gap);
  const rms = stepPoints(record.standard_error, RMS_STEPS);
  const { magnitude, magnitude_uncertainty: sigma, magnitude_type: type } = record;
  const isKnown = magnitude !== null;
  const magnitudeUncertainty = isKnown ? stepPoints(sigma, MAGNITUDE_UNCERTAINTY_STEPS) : 0;
  const magnitudeType = isKnown ? MAGNITUDE_TYPE_POINTS[magnitudeFamily(type)] : 0;
  const review = reviewPoints(record);
  const total = stations + gap + rms + magnitudeUncertainty + magnitudeType + review;
  return { stations, gap, rms, magnitudeUncertainty, magnitudeType, review, total };
}

/** The logarithm reaches its maximum at 31 stations. */
function stationPoints(count: number | null): number {
  return count === null ? 0 : 25 * Math.min(1, Math.log2(count + 1) / 5);
}

function gapPoints(gap: number | null): number {
  if (!isMeasured(gap) || gap > 270) return 0;
  if (gap <= 120) return 20;
  return gap <= 180 ? 15 : 10 * (1 - (gap - 180) / 90);
}

function stepPoints(value: number | null, steps: readonly Step[]): number {
  if (!isMeasured(value)) return 0;
  return steps.find(([upTo]) => value <= upTo)?.[1] ?? 0;
}

function reviewPoints(record: SeismicEventRecord): number {
  const { evaluation_status: status, evaluation_mode: mode } = record;
  const points =
    (status === null ? 0 : STATUS_POINTS[status]) + (mode === "manual" ? MANUAL_POINTS : 0);
  return Math.min(MAX_REVIEW_POINTS, points);
}

export type GroupMember = {
  readonly record: SeismicEventRecord;
  readonly catalogueId: string;
  readonly eventId: string;
  /** Label of the source in the request. */
  readonly source: string;
  /** Index of the catalogue in `sourceCatalogues`. */
  readonly sourceOrder: number;
};

type AssessedMember = GroupMember & { readonly score: number };

function assess(member: GroupMember): AssessedMember {
  const { record, catalogueId, eventId, source, sourceOrder } = member;
  const score = qualityScore(record).total;
  return { record, catalogueId, eventId, source, sourceOrder, score };
}

/** Whether an uncertainty, RMS or gap is known: 0 means unknown. */
function isMeasured(value: number | null): value is number {
  return value !== null && value !== 0;
}

/** Number of documented attributes that are not null, without `extra` and a merge's provenance. */
function countPopulatedFields(record: SeismicEventRecord): number {
  return countFields(record, (name) => record[name] !== null);
}

/** Like `countPopulatedFields`, without 0 for unknown and without attributes of an unknown magnitude. */
function countKnownFields(record: SeismicEventRecord): number {
  return countFields(record, (name) => {
    const value = record[name];
    if (value === null || (value === 0 && NEVER_ZERO.has(name))) return false;
    return record.magnitude !== null || !OF_MAGNITUDE.has(name);
  });
}

function countFields(record: SeismicEventRecord, isCounted: (name: AttributeName) => boolean) {
  let count = record.focal_mechanisms === null ? 0 : 1;
  for (const name of ATTRIBUTE_NAMES) if (isCounted(name)) count++;
  return count;
}

const RADIANS_PER_DEGREE = Math.PI / 180;

/** Well above the rounding error of a sum of 0, as a fraction of the weights. */
const NO_DIRECTION = 1e-9;

/**
 * The weighted mean on the sphere: the direction of the sum of the weighted unit vectors. Identical
 * places give exactly the same place. Places that cancel out, as in a nearest-linkage group around
 * the Earth, have no mean; the result is then the first.
 * @param weights one for each place, positive
 */
export function meanPosition(
  places: readonly Coordinates[],
  weights: readonly number[],
): Coordinates {
  const [first] = places;
  if (first === undefined) throw new RangeError("a mean needs at least one place");
  if (places.every((place) => greatCircleKm(first, place) === 0)) return first;

  let total = 0;
  let x = 0;
  let y = 0;
  let z = 0;
  places.forEach(({ latitude, longitude }, i) => {
    const weight = weights[i] ?? 0;
    total += weight;
    const cosine = Math.cos(latitude * RADIANS_PER_DEGREE);
    x += weight * cosine * Math.cos(longitude * RADIANS_PER_DEGREE);
    y += weight * cosine * Math.sin(longitude * RADIANS_PER_DEGREE);
    z += weight * Math.sin(latitude * RADIANS_PER_DEGREE);
  });
  if (Math.hypot(x, y, z) < NO_DIRECTION * total) return first;
  return {
    latitude: Math.atan2(z, Math.hypot(x, y)) / RADIANS_PER_DEGREE,
    longitude: Math.atan2(y, x) / RADIANS_PER_DEGREE,
  };
}

const MAX_DIGITS = 6;

/**
 * The weighted mean of canonical times. It is computed from offsets to the earliest, which are small
 * whole numbers, so equal weights give the exact mean.
 * @param weights one for each time, positive
 * @returns the time rounded half up to microseconds, with the digits it needs but at least as many as any given time;
 * and the unrounded microseconds from the mean to each given time
 */
function meanTime(times: readonly string[], weights: readonly number[]) {
  const instants = times.map(timeToMicros);
  const base = instants.reduce((earliest, micros) => (micros < earliest ? micros : earliest));
  const offsets = instants.map((micros) => Number(micros - base));
  let weighted = 0;
  let total = 0;
  offsets.forEach((offset, i) => {
    const weight = weights[i] ?? 0;
    weighted += weight * offset;
    total += weight;
  });
  const mean = weighted / total;
  return {
    time: written(base + BigInt(Math.round(mean)), Math.max(...times.map(fractionDigits))),
    micros: offsets.map((offset) => offset - mean),
  };
}

function written(micros: bigint, minDigits: number): string {
  let digits = minDigits;
  while (digits < MAX_DIGITS && micros % 10n ** BigInt(MAX_DIGITS - digits) !== 0n) digits++;
  return microsToTime(micros, digits);
}

/**
 * Weights 1/σ², scaled so that the largest is 1, if every σ is known; else equal ones. A σ of 0 is a
 * placeholder, not a measurement, and counts as unknown.
 */
function weightsOf(sigmas: readonly (number | null)[]) {
  const stated = sigmas.map((sigma) => (isMeasured(sigma) ? sigma : Number.NaN));
  const best = Math.min(...stated);
  if (Number.isNaN(best)) return { values: sigmas.map(() => 1), isByUncertainty: false };
  return { values: stated.map((sigma) => (best / sigma) ** 2), isByUncertainty: true };
}

/**
 * σ of the epicentre, km: the horizontal uncertainty, else those of latitude and longitude combined;
 * null when neither is known.
 */
export function positionSigmaKm(record: SeismicEventRecord): number | null {
  const { horizontal_uncertainty, latitude_uncertainty, longitude_uncertainty } = record;
  if (isMeasured(horizontal_uncertainty)) return horizontal_uncertainty;
  if (!isMeasured(latitude_uncertainty) || !isMeasured(longitude_uncertainty)) return null;
  return Math.hypot(
    latitude_uncertainty * KM_PER_DEGREE,
    longitude_uncertainty * KM_PER_DEGREE * cosineOfLatitude(record.latitude),
  );
}

export type MergedEvent = {
  /** Has `source_events`, with one entry per member, by time, then id. */
  readonly record: SeismicEventRecord;
  /** Index of the chosen member. */
  readonly chosen: number;
  readonly reason: string;
  /** Ids of the members that gave a group of attributes, as in `source_events`; null for a mean, and for nothing. */
  readonly givers: { readonly [G in GivenGroup]: string | null };
  /** What converted the magnitude, and the record before; null for none. */
  readonly conversion: Conversion | null;
};

type Conversion = {
  readonly by: MagnitudeConversion;
  readonly before: SeismicEventRecord;
};

/**
 * Merges a group into one event. The order of `members` does not matter.
 * @param members at least one, of different catalogues; event ids are unique
 * @throws RangeError without members
 */
export function mergeGroup(members: readonly GroupMember[], rules: MergeRules): MergedEvent {
  const inOrder = members.map(assess).sort(compareMembers);
  const solution = solve(inOrder, rules);
  const { ranked } = solution;
  const { record, givers, reason } = withChosenGroups(solution, inOrder, rules);
  const { eventId } = bestOf(ranked);
  const merged = fillGaps(record, ranked);
  const conversion = conversionOf(merged, givers, rules);
  const { magnitude } = merged;
  const final =
    conversion === null || magnitude === null
      ? merged
      : { ...merged, ...converted(merged, magnitude, conversion.by) };
  const isTold = choosesByGroup(rules) && members.length > 1;
  return {
    record: {
      ...final,
      source_events: provenanceOf(inOrder, final, eventId, isTold ? givers : null),
    },
    chosen: members.findIndex((member) => member.eventId === eventId),
    reason: conversion === null ? reason : `${reason}; ${textOf(conversion, final)}`,
    givers: {
      location: givers.location?.eventId ?? null,
      magnitude: givers.magnitude?.eventId ?? null,
      mechanism: givers.mechanism?.eventId ?? null,
    },
    conversion,
  };
}

/** A fixed order, since floating-point sums depend on the order. */
function compareMembers(a: AssessedMember, b: AssessedMember): number {
  return compareTimes(a.record.time, b.record.time) || (a.eventId < b.eventId ? -1 : 1);
}

/** Attributes of the earthquake, unlike those of its solution, may come from the next best member. */
function fillGaps(record: SeismicEventRecord, ranked: readonly AssessedMember[]) {
  return {
    ...record,
    region: record.region ?? firstKnown(ranked, "region"),
    event_type: record.event_type ?? firstKnown(ranked, "event_type"),
    focal_mechanisms: record.focal_mechanisms ?? firstKnown(ranked, "focal_mechanisms"),
  };
}

function firstKnown<N extends keyof SeismicEventRecord>(
  ranked: readonly AssessedMember[],
  name: N,
): SeismicEventRecord[N] | null {
  return ranked.find(({ record }) => record[name] !== null)?.record[name] ?? null;
}

/** Magnitudes are chosen as their catalogues give them: a converted one is no better than what it was made of. */
function conversionOf(
  before: SeismicEventRecord,
  { magnitude: giver }: Givers,
  { conversions = [] }: MergeRules,
): Conversion | null {
  if (giver === null) return null;
  const agency = agencyOfMagnitude(giver.record);
  const by = fittingConversion({ ...before, agency }, conversions);
  return typeof by === "string" ? null : { by, before };
}

/** For people. */
function textOf({ by, before }: Conversion, after: SeismicEventRecord): string {
  const text = ({ magnitude, magnitude_type }: SeismicEventRecord) =>
    `${magnitude_type ?? ""} ${magnitude}`;
  return `magnitude converted from ${text(before)} to ${text(after)} by ${by.name}`;
}

/**
 * Differences are from the merged event's own origin and never negative.
 * @param givers told where groups of attributes were chosen by themselves
 */
function provenanceOf(
  members: readonly AssessedMember[],
  merged: SeismicEventRecord,
  chosenId: string,
  givers: Givers | null,
): SourceEvent[] {
  return members.map(({ record, catalogueId, eventId, source, score }) => ({
    catalogue_id: catalogueId,
    event_id: eventId,
    source_id: record.source_id,
    source,
    time_difference: secondsBetween(record.time, merged.time),
    distance: greatCircleKm(record, merged),
    quality_score: score,
    chosen: eventId === chosenId,
    ...(givers !== null && {
      gave: GIVEN_GROUPS.filter((group) => givers[group]?.eventId === eventId),
    }),
  }));
}

function secondsBetween(a: string, b: string): number {
  if (a === b) return 0;
  return Math.abs(Number(timeToMicros(a) - timeToMicros(b))) / 1_000_000;
}

/** The members whose location, magnitude and mechanisms a merged event has; null for a mean, and for nothing. */
type Givers = { readonly [G in GivenGroup]: AssessedMember | null };

type ChosenGroups = {
  readonly record: SeismicEventRecord;
  readonly givers: Givers;
  readonly reason: string;
};

/** A group of attributes that was chosen by itself. */
type Choice = {
  readonly from: SeismicEventRecord;
  /** Null for a mean. */
  readonly giver: AssessedMember | null;
  readonly reason: string;
};

/** Whether groups of attributes are chosen by themselves. */
export function choosesByGroup({ prefer, minMagnitudeStations }: MergeRules): boolean {
  return prefer !== undefined || minMagnitudeStations !== undefined;
}

/**
 * A solution with the groups of attributes that the rules choose by themselves: a magnitude and mechanisms among
 * the members that have any.
 */
function withChosenGroups(
  solution: Solution,
  members: readonly AssessedMember[],
  rules: MergeRules,
): ChosenGroups {
  const given: Givers = {
    location: solution.isMean ? null : bestOf(solution.ranked),
    magnitude: solution.record.magnitude === null ? null : solution.magnitudeOf,
    // They fill gaps from the next best member.
    mechanism: solution.ranked.find(hasMechanisms) ?? null,
  };
  const { record, reason } = solution;
  if (!choosesByGroup(rules) || members.length === 1) return { record, givers: given, reason };
  const choices = [
    { group: "location", choice: chosenLocation(solution, members, rules) },
    { group: "magnitude", choice: chosenMagnitude(members, rules) },
    { group: "mechanism", choice: chosenMechanism(members, rules) },
  ] as const;
  const result = choices.reduce(
    (all, { group, choice }) => (choice === null ? all : withChoice(all, group, choice)),
    { record, givers: given, reason },
  );
  return { ...result, record: withAgencyOfMagnitude(result) };
}

function withChoice(
  { record, givers, reason }: ChosenGroups,
  group: GivenGroup,
  { from, giver, reason: why }: Choice,
): ChosenGroups {
  const whose = giver === null ? "" : ` of ${giver.source}`;
  return {
    record: withGroup(record, group, from),
    givers: { ...givers, [group]: giver },
    reason: `${reason}; ${group}${whose}: ${why}`,
  };
}

/** Says whose the magnitude is where the agency of the location is another. */
function withAgencyOfMagnitude({ record, givers }: ChosenGroups): SeismicEventRecord {
  const agency = givers.magnitude && agencyOfMagnitude(givers.magnitude.record);
  if (agency === null || agencyOfMagnitude(record) === agency) return record;
  return { ...record, extra: { ...record.extra, [EXTRA_MAGNITUDE_AGENCY]: agency } };
}

function hasMechanisms({ record }: AssessedMember): boolean {
  return record.focal_mechanisms !== null;
}

function chosenLocation(solution: Solution, members: readonly AssessedMember[], rules: MergeRules) {
  const preference = rules.prefer?.location;
  if (preference === undefined) return null;
  const { among, notes, strategy } = preferredOf(members, preference, rules.strategy, agencyOf);
  if (among !== null) return best(among, criteriaOf(members, rules), notes);
  const own = strategy === rules.strategy ? solution : solve(members, { ...rules, strategy });
  return {
    from: own.record,
    giver: own.isMean ? null : bestOf(own.ranked),
    reason: [...notes, own.reason].join(", "),
  };
}

function agencyOf({ record }: AssessedMember): string | null {
  return record.agency_id;
}

function chosenMagnitude(members: readonly AssessedMember[], rules: MergeRules): Choice | null {
  const { prefer, minMagnitudeStations: least = 0 } = rules;
  if (prefer?.magnitude === undefined && least === 0) return null;
  const known = members.filter(({ record }) => record.magnitude !== null);
  const enough = known.filter(({ record }) => (record.magnitude_station_count ?? 0) >= least);
  const isShort = enough.length === 0;
  const noted = isShort
    ? [`none of at least ${least} stations`]
    : enough.length < known.length
      ? [`at least ${least} stations`]
      : [];
  return chosenAmong(isShort ? known : enough, members, rules, prefer?.magnitude, {
    noted,
    agencyOf: ({ record }) => agencyOfMagnitude(record),
    // Magnitudes are not averaged.
    ofMean: BETTER_MAGNITUDE,
  });
}

function chosenMechanism(members: readonly AssessedMember[], rules: MergeRules): Choice | null {
  const preference = rules.prefer?.mechanism;
  if (preference === undefined) return null;
  const known = members.filter(hasMechanisms);
  return chosenAmong(known, members, rules, preference, { noted: [], agencyOf, ofMean: [] });
}

type Ways = {
  readonly noted: readonly string[];
  readonly agencyOf: (member: AssessedMember) => string | null;
  /** What comes before the nearness to the mean, for `average`. */
  readonly ofMean: readonly Criterion[];
};

/** Null where there is no candidate. */
function chosenAmong(
  candidates: readonly AssessedMember[],
  members: readonly AssessedMember[],
  rules: MergeRules,
  preference: Preference | undefined,
  { noted, agencyOf: ofMember, ofMean }: Ways,
): Choice | null {
  if (candidates.length === 0) return null;
  const by = preference ?? rules.strategy;
  const { among, notes, strategy } = preferredOf(candidates, by, rules.strategy, ofMember);
  const criteria = criteriaOf(members, { ...rules, strategy });
  const all = strategy === "average" ? [...ofMean, ...criteria] : criteria;
  return best(among ?? candidates, all, [...noted, ...notes]);
}

/** Those of the first agency or source of a list that has any; without one, null, the strategy decides on all. */
function preferredOf(
  candidates: readonly AssessedMember[],
  preference: Preference,
  otherwise: MergeStrategy,
  ofMember: Ways["agencyOf"],
) {
  if (typeof preference === "string") return { among: null, notes: [], strategy: preference };
  for (const name of preference) {
    const source = sourceLabelOf(name);
    const wanted = (source ?? name).toLowerCase();
    const among = candidates.filter(
      (one) => (source === null ? ofMember(one) : one.source)?.toLowerCase() === wanted,
    );
    const note = source === null ? `agency ${name}` : `source ${source}`;
    if (among.length > 0) return { among, notes: [note], strategy: otherwise };
  }
  return { among: null, notes: ["of nothing preferred"], strategy: otherwise };
}

function best(
  candidates: readonly AssessedMember[],
  criteria: readonly Criterion[],
  notes: readonly string[],
): Choice {
  const { ranked, reason } = rank(candidates, criteria);
  const giver = bestOf(ranked);
  const why = candidates.length > 1 ? [reason] : notes.length === 0 ? ["the only one"] : [];
  return { from: giver.record, giver, reason: [...notes, ...why].join(", ") };
}

/**
 * What comes whole from one solution: the attributes of a bulletin's origin, magnitude and mechanisms, and members
 * of `extra` that say more of it.
 */
export const ATTRIBUTE_GROUPS: Readonly<
  Record<GivenGroup, { names: readonly (keyof SeismicEventRecord)[]; ofExtra: readonly string[] }>
> = {
  location: { names: ORIGIN_NAMES, ofExtra: EXTRA_OF_ORIGIN },
  magnitude: { names: MAGNITUDE_NAMES, ofExtra: [...EXTRA_OF_MAGNITUDE, CONVERTED_FROM] },
  mechanism: { names: ["focal_mechanisms"], ofExtra: [] },
};

/** The record with a group of attributes of another, which may be one of the same solutions or their mean. */
export function withGroup(
  record: SeismicEventRecord,
  group: GivenGroup,
  from: SeismicEventRecord,
): SeismicEventRecord {
  const { names, ofExtra } = ATTRIBUTE_GROUPS[group];
  const taken = Object.fromEntries(names.map((name) => [name, from[name]]));
  const isOf = ([name]: readonly [string, unknown]) => ofExtra.includes(name);
  const kept = Object.entries(record.extra ?? {}).filter((member) => !isOf(member));
  const given = Object.entries(from.extra ?? {}).filter(isOf);
  const extra = kept.length + given.length > 0 ? Object.fromEntries([...kept, ...given]) : null;
  return { ...record, ...taken, extra };
}
