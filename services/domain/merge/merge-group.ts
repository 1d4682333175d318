import type { MagnitudeConversion } from "#contracts/merge/magnitude-conversion.ts";
import { greatCircleKm } from "#contracts/seismic-event/great-circle.ts";
import { compareTimes, timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import {
  GIVEN_GROUPS,
  type GivenGroup,
  type SeismicEventRecord,
  type SourceEvent,
} from "#contracts/seismic-event/seismic-event.ts";
import {
  agencyOfMagnitude,
  converted,
  fittingConversion,
} from "../conversion/convert-magnitude.ts";
import { choosesByGroup, type Givers, withChosenGroups } from "./chosen-groups.ts";
import { type AssessedMember, assess, type GroupMember } from "./group-member.ts";
import type { MergeRules } from "./merge-rules.ts";
import { bestOf } from "./ranking.ts";
import { solve } from "./strategies.ts";

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
  const final = conversion === null ? merged : convertedBy(conversion);
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
function fillGaps(
  record: SeismicEventRecord,
  ranked: readonly AssessedMember[],
): SeismicEventRecord {
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

function convertedBy({ by, before }: Conversion): SeismicEventRecord {
  return before.magnitude === null
    ? before
    : { ...before, ...converted(before, before.magnitude, by) };
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
