import {
  EXTRA_MAGNITUDE_AGENCY,
  EXTRA_OF_MAGNITUDE,
  EXTRA_OF_ORIGIN,
} from "#contracts/bulletin/row.ts";
import { greatCircleKm } from "#contracts/geometry/globe.ts";
import {
  type MagnitudeConversion,
  type MergeStrategy,
  type Preference,
  sourceLabelOf,
} from "#contracts/merges/config.ts";
import { CONVERTED_FROM } from "#contracts/seismic-event/public-ids.ts";
import {
  GIVEN_GROUPS,
  type GivenGroup,
  type SeismicEventRecord,
  type SourceEvent,
} from "#contracts/seismic-event/seismic-event.ts";
import { compareTimes, timeToMicros } from "#contracts/seismic-event/time.ts";
import { MAGNITUDE_NAMES, ORIGIN_NAMES } from "../../bulletins/view.ts";
import {
  agencyOfMagnitude,
  converted,
  fittingConversion,
} from "../../events/magnitude-conversion.ts";
import {
  type AssessedMember,
  assess,
  BETTER_MAGNITUDE,
  bestOf,
  type Criterion,
  criteriaOf,
  type GroupMember,
  type MergeRules,
  rank,
  type Solution,
  solve,
} from "./strategies.ts";

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

export type Conversion = {
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
