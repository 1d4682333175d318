import { EXTRA_MAGNITUDE_AGENCY } from "#contracts/bulletin/extra-of-row.ts";
import {
  type MergeStrategy,
  type Preference,
  sourceLabelOf,
} from "#contracts/merge/merge-config.ts";
import type { GivenGroup, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { agencyOfMagnitude } from "../conversion/convert-magnitude.ts";
import { withGroup } from "./attribute-groups.ts";
import { BETTER_MAGNITUDE } from "./average.ts";
import type { AssessedMember } from "./group-member.ts";
import type { MergeRules } from "./merge-rules.ts";
import { bestOf, type Criterion, rank, type Solution } from "./ranking.ts";
import { criteriaOf, solve } from "./strategies.ts";

/** The members whose location, magnitude and mechanisms a merged event has; null for a mean, and for nothing. */
export type Givers = { readonly [G in GivenGroup]: AssessedMember | null };

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
export function withChosenGroups(
  solution: Solution,
  members: readonly AssessedMember[],
  rules: MergeRules,
): ChosenGroups {
  const given: Givers = {
    location: giverOf(solution),
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

function giverOf({ ranked, isMean }: Solution): AssessedMember | null {
  return isMean ? null : bestOf(ranked);
}

function hasMechanisms({ record }: AssessedMember): boolean {
  return record.focal_mechanisms !== null;
}

function chosenLocation(
  solution: Solution,
  members: readonly AssessedMember[],
  rules: MergeRules,
): Choice | null {
  const preference = rules.prefer?.location;
  if (preference === undefined) return null;
  const { among, notes, strategy } = preferredOf(members, preference, rules.strategy, agencyOf);
  if (among !== null) return best(among, criteriaOf(members, rules), notes);
  const own = strategy === rules.strategy ? solution : solve(members, { ...rules, strategy });
  return {
    from: own.record,
    giver: giverOf(own),
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
  const { among, notes, strategy } = preferredOf(
    candidates,
    preference ?? rules.strategy,
    rules.strategy,
    ofMember,
  );
  const criteria = criteriaOf(members, { ...rules, strategy });
  const all = strategy === "average" ? [...ofMean, ...criteria] : criteria;
  return best(among ?? candidates, all, [...noted, ...notes]);
}

type Preferred = {
  /** Those of the preferred agency or source; null for all. */
  readonly among: readonly AssessedMember[] | null;
  readonly notes: readonly string[];
  readonly strategy: MergeStrategy;
};

function ofSource({ source }: AssessedMember): string {
  return source;
}

/** Those of the first agency or source of a list that has any; without one the strategy decides on all. */
function preferredOf(
  candidates: readonly AssessedMember[],
  preference: Preference,
  otherwise: MergeStrategy,
  ofMember: Ways["agencyOf"],
): Preferred {
  if (typeof preference === "string") return { among: null, notes: [], strategy: preference };
  for (const name of preference) {
    const source = sourceLabelOf(name);
    const wanted = (source ?? name).toLowerCase();
    const nameOf = source === null ? ofMember : ofSource;
    const among = candidates.filter((one) => nameOf(one)?.toLowerCase() === wanted);
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
