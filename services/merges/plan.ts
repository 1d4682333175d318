/** The way of a merge: its sources are read and grouped, then each group becomes an event. */

import { createHash, hash } from "node:crypto";
import type { ClientBase } from "pg";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { Refusal } from "#contracts/errors.ts";
import type { MergeCounts } from "#contracts/http/merges.ts";
import type { Warning } from "#contracts/http/operation.ts";
import { type MergeConfig, type MergedSource, sourceLabelOf } from "#contracts/merges/config.ts";
import type { MergeDecision } from "#contracts/merges/decisions.ts";
import { OWN_AUTHORITY } from "#contracts/seismic-event/ids.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type PackedBulletin, packing } from "#infra/bulletins/packed-bulletin.ts";
import { atOnce } from "#infra/kernel/iteration.ts";
import type { TextRow } from "#infra/postgres/copy/copied.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import {
  createRecordReader,
  readCopiedBulletin,
  toIsoTime,
} from "#projections/read/copied-rows.ts";
import {
  agenciesAmong,
  type EventsOfSources,
  haveBulletins,
  latestVersions,
  MERGE_COLUMNS,
  ORIGIN_COLUMNS,
  orderedRows,
  orderedRowsWithBulletins,
  type SourceVersion,
} from "#projections/read/merges/refresh.ts";
import type { Reader } from "#projections/read/rights.ts";
import { withConverted } from "#services/domain/bulletins/edits.ts";
import { type BulletinMember, unitedBulletin } from "#services/domain/bulletins/union.ts";
import { createIdMarks, type MarkPlace } from "#services/domain/events/identity.ts";
import type { PlainDecision } from "#services/domain/merges/decisions.ts";
import {
  countDuplicateGroups,
  type Grouping,
  type GroupingRules,
  groupByRow,
  groupEvents,
  membersOf,
  TooManyCandidates,
} from "#services/domain/merges/grouping/group-events.ts";
import {
  at,
  createOriginsBuilder,
  createTextColumnBuilder,
  type Origins,
  windowsOf,
} from "#services/domain/merges/grouping/thresholds.ts";
import { createBulletinView, withinLimits } from "../changes/bulletin-view.ts";
import {
  choosesByGroup,
  type GroupMember,
  type MergedEvent,
  type MergeRules,
  mergeGroup,
  mergeRulesOf,
  withGroup,
} from "../domain/merges/solution/merge-group.ts";
import { createRowDecisions, decisionsInForce, requireDecidable } from "./decisions.ts";

/** The sources of a merge, in the order used by the strategies, and its rules. */
export type MergeRequest = {
  readonly sources: readonly { readonly id: string; readonly source: string }[];
  readonly config: MergeConfig;
  /** What people say of events of the sources. */
  readonly decisions?: readonly MergeDecision[];
  /** Whose sources they are: others do not exist. */
  readonly reader: Reader;
};

/** A source with the version to read, and its label. */
export type MergeSource = SourceVersion & { readonly source: string };

/** What the log keeps of a source. */
export function mergedSource({ id, name, source, version, eventCount }: MergeSource): MergedSource {
  return { id, name, source, version, event_count: eventCount };
}

/** The groups of a merge, before any event is read whole. */
export type MergePlan = Awaited<ReturnType<typeof readOrigins>> & {
  /** The events that are merged; null for all of the sources. */
  readonly only: EventsOfSources;
  readonly sources: readonly MergeSource[];
  readonly rules: MergeRules;
  readonly groupingRules: GroupingRules;
  readonly grouping: Grouping;
  readonly counts: MergeCounts;
};

/** Origins and ids of this many events take about a gigabyte. */
const MAX_EVENTS = 5_000_000;

/**
 * Reads times and places of the sources' events and groups them.
 * @param client in a transaction with isolation REPEATABLE READ
 * @throws Refusal VALIDATION_ERROR, NOT_FOUND, CONFLICT, MERGE_ERROR
 */
export async function planMerge(
  client: ClientBase,
  { sources: wanted, config, decisions: made = [], reader }: MergeRequest,
  maxEvents = MAX_EVENTS,
): Promise<MergePlan> {
  const of = { sources: wanted.map(({ id }) => id), reader };
  await requireDecidable(statementsOn(client), of, made, made);
  const sources = await resolveSources(client, wanted, reader);
  const decisions = await decisionsInForce(client, sources, made);
  const plan = await planOf(client, sources, config, { decisions, maxEvents });
  const warnings = await unmetPreferences(client, sources, config);
  return warnings.length === 0 ? plan : { ...plan, counts: { ...plan.counts, warnings } };
}

type PlanOptions = {
  /** Default 5,000,000. */
  readonly maxEvents?: number;
  /** Whole components of the graph of candidates: their groups are those of a merge of all events. */
  readonly only?: EventsOfSources;
  /** Those in force (`decisionsInForce`). */
  readonly decisions?: readonly PlainDecision[];
};

/**
 * The same of sources whose versions are known.
 * @throws Refusal MERGE_ERROR
 */
export async function planOf(
  client: ClientBase,
  sources: readonly MergeSource[],
  config: MergeConfig,
  { maxEvents = MAX_EVENTS, only = null, decisions = [] }: PlanOptions = {},
): Promise<MergePlan> {
  const count = sources.reduce((sum, { eventCount }) => sum + eventCount, 0);
  if (count > maxEvents) {
    throw new Refusal("MERGE_ERROR", `The sources have more than ${maxEvents} events in all`);
  }
  const read = await readOrigins(client, sources, only, decisions);
  const rules = mergeRulesOf(config);
  const labels = sources.map(({ source }) => source);
  const groupingRules = {
    thresholds: rules.thresholds,
    windows: windowsOf(config.windows, labels),
    linkage: config.linkage,
    decisions: read.decided,
  };
  const grouping = groupRows(read.origins, groupingRules);
  const { length: originalEventCount } = read.origins;
  const counts = {
    eventCount: grouping.count,
    originalEventCount,
    duplicateGroups: countDuplicateGroups(grouping),
    duplicatesRemoved: originalEventCount - grouping.count,
  };
  return { ...read, only, sources, rules, groupingRules, grouping, counts };
}

async function resolveSources(
  client: ClientBase,
  wanted: MergeRequest["sources"],
  reader: Reader,
): Promise<MergeSource[]> {
  const ids = wanted.map(({ id }) => id);
  const versions = await latestVersions(client, ids, reader);
  const byId = new Map(versions.map((version) => [version.id, version]));
  return wanted.map(({ id, source }) => {
    const version = byId.get(id);
    if (version === undefined) throw new Refusal("NOT_FOUND", `Catalogue ${id} not found`);
    if (version.version === 0) {
      throw new Refusal("CONFLICT", `Catalogue ${id} has no version yet that could be merged`);
    }
    return { ...version, source };
  });
}

/** All possible digits of a time, since rows are distinguished by microseconds. */
const TIME_DIGITS = 6;

/** The origin of a row that has the event's id, time, latitude, longitude and magnitude. */
export function originOf(source: number, row: TextRow) {
  const [id, time, latitude, longitude, magnitude = null] = row;
  return {
    source,
    id: id ?? "",
    time: toIsoTime(time ?? "", TIME_DIGITS),
    latitude: Number(latitude),
    longitude: Number(longitude),
    magnitude: magnitude === null ? null : Number(magnitude),
  };
}

const SOURCE_ID_COLUMN = ORIGIN_COLUMNS.indexOf("source_id");

/**
 * The events of all sources by column, in the order of `orderedRows`, with what was decided of them.
 * @throws Error when the number of rows differs from the versions' counts
 */
async function readOrigins(
  client: ClientBase,
  sources: readonly SourceVersion[],
  only: EventsOfSources,
  decisions: readonly PlainDecision[],
) {
  const counts = sources.map(({ eventCount }, place) => only?.[place]?.length ?? eventCount);
  const count = counts.reduce((sum, one) => sum + one, 0);
  const builder = createOriginsBuilder(count);
  const sourceIds = createTextColumnBuilder(count);
  const decided = createRowDecisions(decisions);
  let length = 0;
  for await (const rows of orderedRows(client, sources, ORIGIN_COLUMNS, only)) {
    for (const row of rows) {
      const [source, ...ofEvent] = row;
      const origin = originOf(Number(source), ofEvent);
      builder.push(origin);
      sourceIds.push(row[SOURCE_ID_COLUMN] ?? null);
      decided.see(origin.id, length);
      length += 1;
    }
  }
  if (length !== count) throw new Error(`${length} of ${count} events were there`);
  return { origins: builder.finish(), sourceIds: sourceIds.finish(), decided: decided.finish() };
}

/** @throws Refusal MERGE_ERROR */
export function groupRows(origins: Origins, rules: GroupingRules): Grouping {
  try {
    return groupEvents(origins, rules);
  } catch (cause) {
    if (!(cause instanceof TooManyCandidates)) throw cause;
    throw new Refusal("MERGE_ERROR", `${cause.message}; narrow them`, { cause });
  }
}

/** What a merge's settings prefer and none of its sources has, be it an agency or a label, by its path in a body. */
async function unmetPreferences(
  client: ClientBase,
  sources: readonly MergeSource[],
  { mergeStrategy, priority, prefer = {} }: MergeConfig,
): Promise<Warning[]> {
  const labels = new Set(sources.map(({ source }) => source.toLowerCase()));
  const listed = Object.entries(prefer).flatMap(([group, preference]) =>
    Array.isArray(preference)
      ? preference.map((name, place) => ({ path: `config.prefer.${group}.${place}`, name }))
      : [],
  );
  const agencies = listed.flatMap(({ name }) => (sourceLabelOf(name) === null ? [name] : []));
  const present = await agenciesAmong(client, sources, agencies);
  const warnings = listed.flatMap(({ path, name }) => {
    const label = sourceLabelOf(name);
    if (label === null) {
      const isThere = present.has(name.toLowerCase());
      return isThere ? [] : [{ path, message: `no event of the sources is of agency ${name}` }];
    }
    return labels.has(label.toLowerCase())
      ? []
      : [{ path, message: `no source has the label ${label}` }];
  });
  const isUnmet =
    mergeStrategy === "priority" && priority !== "" && !labels.has(priority.toLowerCase());
  const message = `no source has the label ${priority}`;
  return isUnmet ? [{ path: "config.priority", message }, ...warnings] : warnings;
}

/** An event of a merge, of the plan's group. */
export type MergedRow = {
  readonly group: number;
  readonly record: SeismicEventRecord;
  readonly bulletin: PackedBulletin | null;
};

/**
 * The merged events, each when the last event of its group was read.
 * @param client in the transaction of the plan
 * @throws Refusal MERGE_ERROR for a bulletin beyond the limits
 */
export async function* mergedEvents(
  client: ClientBase,
  plan: MergePlan,
): AsyncGenerator<MergedRow[]> {
  const withUniqueId = createUniqueSourceIds();
  const bulletinOf = createBulletinMerger(plan.rules);
  const withBulletins = await haveBulletins(client, plan.sources);
  for await (const groups of completeGroups(client, plan, () => true, withBulletins)) {
    yield groups.map(({ group, members }) => {
      const merged = mergeGroup(members, plan.rules);
      const row = at(membersOf(plan.grouping, group), merged.chosen);
      const record = withUniqueId(merged.record, plan.sourceIds.textOf(row));
      return { group, record, bulletin: bulletinOf(members, record, merged) };
    });
  }
}

const PSEUDONYM_DIGITS = 32;

/**
 * A function that gives the bulletin of a merged event, packed; null where no member has one.
 * @throws Refusal MERGE_ERROR for one beyond the limits
 */
function createBulletinMerger(rules: MergeRules) {
  // Times that the members' catalogues took are not looked at again.
  const view = createBulletinView(Number.MAX_SAFE_INTEGER);
  const isByGroup = choosesByGroup(rules);

  /** @param record the merged one, as the catalogue gets it */
  return (
    members: readonly ReadMember[],
    record: SeismicEventRecord,
    { givers, conversion }: Pick<MergedEvent, "givers" | "conversion">,
  ): PackedBulletin | null => {
    if (members.every(({ bulletin }) => bulletin === null)) return null;
    const provenance = record.source_events ?? [];
    const inOrder = provenance.map(({ event_id: id }) => wholeMember(members, id));
    const pseudonym = pseudonymOf(inOrder.map(({ eventId }) => eventId).join(" "));
    const row = {
      record: conversion === null ? record : withGroup(record, "magnitude", conversion.before),
      chosen: provenance.findIndex(({ chosen }) => chosen),
      ownOrigin: givers.location === null,
      givers: isByGroup ? givers : undefined,
      pseudonym,
    };
    const united = unitedBulletin(inOrder, row, view);
    if (united === null || conversion === null) return united && packed(united);
    const by = conversion.by.name;
    const publicID = `${OWN_AUTHORITY}magnitude/${pseudonym}/converted`;
    return packed(withConverted(united, { record, by, publicID, edit: null }, view));
  };
}

function wholeMember(members: readonly ReadMember[], id: string): BulletinMember {
  const member = members.find(({ eventId }) => eventId === id);
  if (member === undefined) throw new RangeError(`no member ${id}`);
  const { record, eventId, bulletin } = member;
  return {
    record,
    eventId,
    bulletin: readCopiedBulletin(bulletin),
    pseudonym: pseudonymOf(eventId),
  };
}

/** The same for the same id, which it does not tell. */
function pseudonymOf(id: string): string {
  return hash("sha256", id).slice(0, PSEUDONYM_DIGITS);
}

function packed(bulletin: Bulletin): PackedBulletin {
  return atOnce(withinLimits(packing(bulletin), "MERGE_ERROR", "The bulletin of a merged event"));
}

/** An event of a group, with its bulletin as it was copied if bulletins are read. */
type ReadMember = GroupMember & { readonly bulletin: string | null };

/** A group with all its members, in the order of the plan's rows. */
export type CompleteGroup = { readonly group: number; readonly members: readonly ReadMember[] };

/**
 * The requested groups, each when its last member was read. Only groups that are open at the same
 * time are in memory: those within a time threshold of each other, or with nearest linkage, within
 * as many thresholds as there are sources.
 * @param client in the transaction of the plan
 * @param withBulletins whether to read them; they stay compressed
 */
export async function* completeGroups(
  client: ClientBase,
  plan: MergePlan,
  isWanted: (group: number) => boolean,
  withBulletins: boolean,
): AsyncGenerator<CompleteGroup[]> {
  const { grouping, origins, sources } = plan;
  const groups = groupByRow(grouping);
  const open = new Map<number, ReadMember[]>();
  let rank = 0;
  const read = withBulletins ? orderedRowsWithBulletins : orderedRows;
  for await (const rows of read(client, sources, MERGE_COLUMNS, plan.only)) {
    const complete: CompleteGroup[] = [];
    for (const row of rows) {
      const group = at(groups, rank);
      if (row[EVENT_ID] !== origins.ids.textOf(rank))
        throw new Error(`row ${rank} is another than before`);
      rank += 1;
      if (!isWanted(group)) continue;
      const members = open.get(group) ?? [];
      members.push(memberOf(row, plan));
      if (members.length < membersOf(grouping, group).length) open.set(group, members);
      else {
        open.delete(group);
        complete.push({ group, members });
      }
    }
    yield complete;
  }
}

const SOURCE = MERGE_COLUMNS.indexOf("source");
const EVENT_ID = MERGE_COLUMNS.indexOf("event_id");
const BULLETIN = MERGE_COLUMNS.length;
const recordOf = createRecordReader(MERGE_COLUMNS);

/** Provenance from earlier merges is dropped, since the result describes this merge. */
function memberOf(row: TextRow, { sources }: MergePlan): ReadMember {
  const sourceOrder = Number(row[SOURCE]);
  const source = sources[sourceOrder];
  const eventId = row[EVENT_ID];
  if (source === undefined || !eventId) throw new RangeError(`no source ${sourceOrder}`);
  const record = recordOf(row);
  const bulletin = row[BULLETIN] ?? null;
  return { record, catalogueId: source.id, eventId, source: source.source, sourceOrder, bulletin };
}

/** The roles in which an event of the merged catalogue has an id. */
const SOURCE_ID = 1;
const PUBLIC_ID = 2;

/**
 * Makes each `source_id` and each public id unique in the merged catalogue (infra/decisions/0008):
 * the first event with an id keeps it. A later one gets its public id as `source_id`, if that is
 * unique, else none. A lost id is kept in `extra`, unless such a member exists.
 */
export function createUniqueSourceIds(): (
  record: SeismicEventRecord,
  sourceId: string | null,
) => SeismicEventRecord {
  const marks = createIdMarks();
  const take = (place: MarkPlace, as: number): boolean => {
    const isFree = (marks.at(place) & as) === 0;
    marks.add(place, as);
    return isFree;
  };

  /** The first id that no other event has. */
  const firstFree = (...ids: readonly (string | null)[]): string | null =>
    ids.find((id) => id !== null && take(marks.ofSourceId(id), SOURCE_ID)) ?? null;

  return (record, proposal) => {
    const { publicId } = idsOf(record);
    const isOwn = publicId === null || take(marks.ofPublicId(publicId), PUBLIC_ID);
    let sourceId: string | null = null;
    if (proposal !== null && isOwn) sourceId = firstFree(proposal, publicId);
    else if (proposal !== publicId) sourceId = firstFree(proposal);
    if (isOwn && sourceId === proposal) return record;
    const proposed: JsonObject =
      proposal !== null && sourceId === null ? { source_id: proposal } : {};
    return { ...record, source_id: sourceId, extra: { ...proposed, ...extraOf(record, isOwn) } };
  };
}

function extraOf({ extra }: SeismicEventRecord, isOwn: boolean): JsonObject {
  const { public_id: publicId, ...others } = extra ?? {};
  if (isOwn || publicId === undefined) return extra ?? {};
  return { shared_public_id: publicId, ...others };
}

/** What the pairs of a merge are of: its settings and the versions of its sources; SHA-256, hex. */
export function standsFor({
  config,
  sources,
}: {
  readonly config: MergeConfig;
  readonly sources: readonly MergedSource[];
}): string {
  const versions = sources.map(({ id, version, source }) => [id, version, source]);
  return createHash("sha256")
    .update(JSON.stringify([config, versions]))
    .digest("hex");
}
