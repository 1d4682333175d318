/** What a refresh has to merge again, and what it opens to find that out. */

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ClientBase } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { Refusal, RetryLater } from "#contracts/errors.ts";
import type { MergeConfig } from "#contracts/merges/config.ts";
import type { DecidedEvent, MergeDecision } from "#contracts/merges/decisions.ts";
import { eventId, eventIdPlace } from "#contracts/seismic-event/ids.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import { openThreadSession } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { readDecisions } from "#projections/read/merges/decisions.ts";
import {
  changedEvents,
  countChanges,
  countDuplicateGroupsAt,
  eventsById,
  eventsInWindows,
  eventsWithMembers,
  existingAmong,
  type FormerMember,
  type FormerRow,
  formerRows,
  holdersOf,
  latestVersions,
  type MergeBase,
  type PlacedEvent,
  readMergeBase,
  touchedEvents,
} from "#projections/read/merges/refresh.ts";
import type { Reader } from "#projections/read/rights.ts";
import type { PlainDecision } from "../domain/merges/decisions.ts";
import { GROUPING_RULES, groupByRow } from "../domain/merges/grouping/group-events.ts";
import { at, type Thresholds, thresholdsOf } from "../domain/merges/grouping/thresholds.ts";
import {
  createHeirs,
  NO_EVENT,
  NO_GROUP,
  nearPlaces,
  type Place,
  rowsById,
  TooManyNear,
} from "../domain/merges/refresh.ts";
import { mergeGroup } from "../domain/merges/solution/merge-group.ts";
import { presentDecisions, requireDecidable } from "./decisions.ts";
import { completeGroups, type MergePlan, type MergeSource, planOf } from "./plan.ts";

/** What a refresh is of. */
export type RefreshScope = {
  readonly base: MergeBase;
  readonly plan: MergePlan;
  readonly former: Awaited<ReturnType<typeof readFormerEvents>>;
  /** The events of the merged catalogue that stay only where a group goes on with them; null for all. */
  readonly concerned: readonly string[] | null;
  readonly isWhole: boolean;
  /** Of the merged catalogue then. */
  readonly duplicateGroups: number;
};

/** Of all events: more are merged again all together. */
const LARGE_PART = 1 / 5;

type ScopeOptions = {
  /** Further decisions, which are tried. */
  readonly tried?: readonly MergeDecision[] | undefined;
  /** The part of all events from which on all are merged again; default a fifth, 0 for always. */
  readonly wholeFrom?: number | undefined;
};

/**
 * What has to be merged again: what has changed since the last refresh with all that depends on it; everything where
 * that is much, or the settings, or the rules of grouping, are others. Both give the same events under the same ids.
 * @throws Refusal VALIDATION_ERROR, MERGE_ERROR
 */
export async function refreshScope(
  opened: OpenRefresh,
  { tried = [], wholeFrom = LARGE_PART }: ScopeOptions,
): Promise<RefreshScope> {
  const { client, base, sources, config } = opened;
  const statements = statementsOn(client);
  const known = await readDecisions(statements, base.id);
  if (tried.length > 0) {
    const of = { sources: base.sources.map(({ id }) => id), reader: opened.reader };
    const holding = known.map(({ id, type, events }) => ({ id, type, events }));
    await requireDecidable(statements, of, tried, [...tried, ...holding]);
  }
  const made = [...known, ...tried];
  const present = await presentDecisions(client, sources, made);
  const decisions = present.filter((decision) => !decision.isIdle);
  const isSame = base.rules === GROUPING_RULES && isSameMerge(base.config, config);
  if (wholeFrom > 0 && isSame) {
    const all = sources.reduce((sum, { eventCount }) => sum + eventCount, 0);
    const rules = { widest: widestOf(config), decisions, most: wholeFrom * all };
    const closed = await closedScope(opened, { made, present, tried }, rules);
    if (closed !== null) return closed;
  }
  return wholeScope(opened, decisions);
}

async function wholeScope(
  { client, base, sources, config }: OpenRefresh,
  decisions: readonly PlainDecision[],
): Promise<RefreshScope> {
  const plan = await planOf(client, sources, config, { decisions });
  const former = await readFormerEvents(client, base, plan, null);
  const { duplicateGroups } = plan.counts;
  return { base, plan, former, concerned: null, isWhole: true, duplicateGroups };
}

function widestOf({ timeThreshold, distanceThreshold, windows = [] }: MergeConfig): Thresholds {
  const all = [
    { timeThreshold, distanceThreshold },
    ...windows.map((one) => ({
      timeThreshold: one.timeThreshold ?? 0,
      distanceThreshold: one.distanceThreshold ?? 0,
    })),
  ];
  return thresholdsOf(
    Math.max(...all.map((one) => one.timeThreshold)),
    Math.max(...all.map((one) => one.distanceThreshold)),
  );
}

export type RefreshRequest = ScopeOptions & {
  readonly catalogueId: string;
  /** Absent for the settings that the merge has. */
  readonly config?: MergeConfig | undefined;
  /** Whose sources they are: others do not exist. */
  readonly reader: Reader;
};

/** A merged catalogue with its sources, as they are in one snapshot. */
type OpenRefresh = AsyncDisposable & {
  /** In a transaction with isolation REPEATABLE READ. */
  readonly client: ClientBase;
  /** Another connection, for look-ups of rows that never change. */
  readonly beside: ClientBase;
  readonly base: MergeBase;
  readonly sources: readonly MergeSource[];
  readonly config: MergeConfig;
  readonly reader: Reader;
};

/**
 * @param isAlone whether there may be one at a time for each catalogue, at whatever gateway
 * @throws Refusal NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function openRefresh(
  { catalogueId, config, reader }: RefreshRequest,
  isAlone: boolean,
): Promise<OpenRefresh> {
  const opened = new AsyncDisposableStack();
  try {
    const { client } = opened.use(await openThreadSession("merge"));
    const { client: beside } = opened.use(await openThreadSession("merge"));
    await client.query("begin isolation level repeatable read, read only");
    if (isAlone) await requireAlone(client, catalogueId);
    const base = await readMergeBase(client, catalogueId);
    if (base === null) throw new Refusal("NOT_FOUND", "The catalogue is no merge");
    const sources = await sourcesOf(client, base, reader);
    return {
      client,
      beside,
      base,
      sources,
      config: config ?? base.config,
      reader,
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Until the end of the transaction. @throws Refusal CONFLICT */
async function requireAlone(client: ClientBase, catalogueId: string): Promise<void> {
  const digest = createHash("sha256").update(`refresh of ${catalogueId}`).digest();
  const key = digest.readBigInt64BE().toString();
  const { locked } = await statementsOn(client).one(sql.type(z.object({ locked: z.boolean() }))`
    select pg_try_advisory_xact_lock(${key}::bigint) as locked`);
  if (!locked) throw otherRuns();
}

export function otherRuns(): RetryLater {
  return new RetryLater("CONFLICT", "Another refresh of this catalogue is in progress");
}

/** The latest versions of the merge's sources, in its order. @throws Refusal FORBIDDEN, CONFLICT */
async function sourcesOf(
  client: ClientBase,
  { sources }: MergeBase,
  reader: Reader,
): Promise<MergeSource[]> {
  const ids = sources.map(({ id }) => id);
  const versions = await latestVersions(client, ids, reader);
  const byId = new Map(versions.map((version) => [version.id, version]));
  const missing = ids.filter((id) => !byId.has(id));
  if ((await existingAmong(client, missing)).size > 0) {
    throw new Refusal("FORBIDDEN", "A refresh needs the right to read every source of the merge");
  }
  return sources.map(({ id, source }) => {
    const version = byId.get(id);
    if (version === undefined) throw new Refusal("CONFLICT", "A source of the merge was deleted");
    return { ...version, source };
  });
}

/** Whether the same settings make groups and events. */
function isSameMerge(before: MergeConfig, now: MergeConfig): boolean {
  const { follow: _, ...one } = before;
  const { follow: __, ...other } = now;
  return isDeepStrictEqual(one, other);
}

/** What has changed of a merge since its last refresh; null where there are more than `most` changes. */
async function changedSince(
  { client, base, sources }: OpenRefresh,
  { tried }: Pick<Decided, "tried">,
  most: number,
) {
  const mergedBefore = base.sources.map(({ version }) => version);
  let count = await countChanges(client, base, base.revision);
  for (const [place, source] of sources.entries()) {
    count += await countChanges(client, source, mergedBefore[place] ?? 0);
  }
  if (count > most) return null;
  const events: SourceEventId[] = [];
  /** Where events were. */
  const places: Place[] = [];
  for (const [source, version] of sources.entries()) {
    for (const { id, isPresent, ...place } of await changedEvents(
      client,
      version,
      mergedBefore[source] ?? 0,
    )) {
      events.push({ source, id });
      if (!isPresent) places.push({ ...place, source });
    }
  }
  const byHand = await changedEvents(client, base, base.revision);
  /** Events of decisions that were made or withdrawn, or are tried. */
  const touched = [...(await touchedEvents(client, base.id)), ...tried.flatMap(idsOfEvents)];
  if (touched.length > most) return null;
  return { events, places, touched, byHand: [...new Set(byHand.map(({ id }) => id))] };
}

const idsOfEvents = ({ events }: PlainDecision) => events.map(({ event_id: id }) => id);

type Decided = {
  /** As people made them. */
  readonly made: readonly { readonly events: readonly DecidedEvent[] }[];
  /** The same, about the events that theirs are now. */
  readonly present: readonly (PlainDecision & { readonly isIdle: boolean })[];
  /** Those that are tried alone. */
  readonly tried: readonly PlainDecision[];
};

/**
 * The events that decisions are about which may say something else than at the last refresh: because they were made
 * or withdrawn since, name an event that changed, or are not about the events that they name.
 * @param touched events of decisions that were made or withdrawn since
 */
function decidedAnew(
  { sources }: OpenRefresh,
  { made, present }: Decided,
  touched: readonly string[],
  changed: readonly SourceEventId[],
): SourceEventId[] {
  const concerned = new Set([...changed.map(({ id }) => id), ...touched]);
  const anew = made.flatMap(({ events }, index) => {
    const now = present[index]?.events ?? [];
    const isAsMade = !present[index]?.isIdle && isDeepStrictEqual(events, now);
    const isConcerned = [...events, ...now].some(({ event_id: id }) => concerned.has(id));
    return isConcerned || !isAsMade ? [...events, ...now] : [];
  });
  const withdrawn = sources.flatMap((_, source) => touched.map((id) => ({ source, id })));
  return [...eventsIn(sources)(anew), ...withdrawn];
}

/**
 * What a refresh by the same settings is of: the events that changed with all that their groups, and the ids of their
 * events, depend on (infra/decisions/0047). Null where these are more than `most`.
 */
async function closedScope(
  opened: OpenRefresh,
  decisions: Decided,
  rules: ClosureRules,
): Promise<RefreshScope | null> {
  const changed = await changedSince(opened, decisions, rules.most);
  if (changed === null) return null;
  const decided = decidedAnew(opened, decisions, changed.touched, changed.events);
  const closure = createClosure(opened.client, opened, rules);
  try {
    const byHand = await membersByHand(opened, changed.byHand);
    await closure.add([...changed.events, ...decided, ...byHand], changed.places);
    const plan = await closedPlan(opened, closure, rules);
    return await scopeOf(opened, plan, closure, changed.byHand);
  } catch (error) {
    if (isTooMuch(error)) return null;
    throw error;
  }
}

/** The events of which those were made that people changed since the last refresh. */
async function membersByHand(
  { client, base, sources }: OpenRefresh,
  ids: readonly string[],
): Promise<SourceEventId[]> {
  if (ids.length === 0) return [];
  const inSources = eventsIn(sources);
  const members: SourceEventId[] = [];
  for await (const rows of formerRows(client, { key: base.key, version: base.revision }, ids)) {
    for (const { isPresent, members: all } of rows) {
      if (isPresent && all !== null) members.push(...inSources(all));
    }
  }
  return members;
}

/**
 * Ids of events connect groups too, by infra/decisions/0008: takes in the groups whose chosen event has an id that one
 * of the closure has or had, until there is none.
 */
async function closedPlan(
  opened: OpenRefresh,
  closure: Closure,
  { decisions }: ClosureRules,
): Promise<MergePlan> {
  const { client, sources, config } = opened;
  const asked = new Set<string>();
  for (;;) {
    const only = sources.map((): string[] => []);
    for (const [id, source] of closure.inside) only[source]?.push(id);
    const plan = await planOf(client, sources, config, { only, decisions });
    const texts = new Set(closure.former().flatMap(formerTexts));
    for await (const groups of completeGroups(client, plan, () => true, false)) {
      for (const { members } of groups) {
        const chosen = members[mergeGroup(members, plan.rules).chosen];
        for (const text of textsOf(chosen?.record ?? {})) texts.add(text);
      }
    }
    const fresh = [...texts].filter((text) => !asked.has(text));
    for (const text of fresh) asked.add(text);
    const others = await chosenHolders(opened, closure, fresh);
    if (others.length === 0) return plan;
    await closure.add(others);
  }
}

function textsOf(record: Parameters<typeof idsOf>[0]): string[] {
  const { sourceId, publicId } = idsOf(record);
  return [sourceId, publicId].filter((text) => text !== null);
}

function formerTexts({ members, publicId }: FormerRow): string[] {
  const sourceId = members?.find(({ chosen }) => chosen)?.source_id;
  return [sourceId, publicId].flatMap((text) => text ?? []);
}

/** The events outside of the closure that have one of the texts as an id, and were chosen. */
async function chosenHolders(
  { client, base, sources }: OpenRefresh,
  { inside }: Closure,
  texts: readonly string[],
): Promise<SourceEventId[]> {
  if (texts.length === 0) return [];
  const holders = new Map<string, number>();
  for (const [source, version] of sources.entries()) {
    for (const id of await holdersOf(client, version, texts)) {
      if (!inside.has(id)) holders.set(id, source);
    }
  }
  if (holders.size === 0) return [];
  const chosen: SourceEventId[] = [];
  const ids = await eventsWithMembers(client, base, [...holders.keys()]);
  for await (const rows of formerRows(client, { key: base.key, version: base.revision }, ids)) {
    for (const { isPresent, members } of rows) {
      const id = members?.find((member) => member.chosen)?.event_id;
      const source = id === undefined ? undefined : holders.get(id);
      if (isPresent && id !== undefined && source !== undefined) chosen.push({ source, id });
    }
  }
  return chosen;
}

async function scopeOf(
  { client, base }: OpenRefresh,
  plan: MergePlan,
  closure: Closure,
  byHand: readonly string[],
): Promise<RefreshScope> {
  const rows = closure.former();
  const ids = rows.map(({ id }) => id);
  const former = await readFormerEvents(client, base, plan, ids);
  const before =
    base.duplicateGroups ??
    (await countDuplicateGroupsAt(client, { key: base.key, version: base.revision }));
  const ofClosure = rows.filter(({ members }) => (members?.length ?? 0) > 1).length;
  return {
    base,
    plan,
    former,
    concerned: [...new Set([...ids, ...byHand])],
    isWhole: false,
    duplicateGroups: before - ofClosure + plan.counts.duplicateGroups,
  };
}

type ClosureRules = {
  /** The widest thresholds of any pair. */
  readonly widest: Thresholds;
  /** The decisions in force. */
  readonly decisions: readonly PlainDecision[];
  /** Most events of the closure: beyond that all are merged again. */
  readonly most: number;
};

/** An event of a source. */
type SourceEventId = { readonly source: number; readonly id: string };

/** Events of catalogues as those of a merge's sources; without those of others. */
function eventsIn(sources: readonly MergeSource[]) {
  const placeOf = new Map(sources.map(({ id }, place) => [id, place]));
  return (events: readonly DecidedEvent[]): SourceEventId[] =>
    events.flatMap(({ catalogue_id, event_id: id }) => {
      const source = placeOf.get(catalogue_id);
      return source === undefined ? [] : [{ source, id }];
    });
}

/** Pairs of events compared in a round. */
const MOST_COMPARED = 20_000_000;

type Closure = ReturnType<typeof createClosure>;

/**
 * Events of sources with all that their groups depend on: whole components of the graph of candidates and decisions,
 * and all members of each former event that has one of them (infra/decisions/0047).
 */
function createClosure(
  client: ClientBase,
  { base, sources }: { readonly base: MergeBase; readonly sources: readonly MergeSource[] },
  { widest, decisions, most }: ClosureRules,
) {
  const taken = createTakenEvents(client, sources, most);
  const former = createFormerOfClosure(client, base);
  const inSources = eventsIn(sources);
  const linked = linksOf(decisions);

  async function neighbours(places: readonly Place[]): Promise<Place[]> {
    const near = nearPlaces(places, widest, MOST_COMPARED);
    const fresh: Place[] = [];
    for (const [source, version] of sources.entries()) {
      const windows = near.windows(source);
      if (windows.length === 0) continue;
      const events = await eventsInWindows(client, version, windows);
      const others = events.filter(({ id }) => !taken.inside.has(id));
      const isNear = (event: (typeof others)[number]) => near.isNear({ ...event, source });
      fresh.push(...taken.take(others.filter(isNear), source));
    }
    return fresh;
  }

  /** What decisions call the same, and the members of former events, of some members. */
  async function linksFrom(ids: readonly string[]): Promise<SourceEventId[]> {
    const same = ids.flatMap((id) => linked.get(id) ?? []).flatMap(({ events }) => events);
    const members = await former.membersWith(ids, taken.isKnown);
    return inSources([...same, ...members]).filter(({ id }) => !taken.isKnown(id));
  }

  return {
    /** The source of each event of the closure, by its id. */
    inside: taken.inside,
    /** The former events whose members are in the closure, or are not there any more. */
    former: former.all,
    /**
     * Takes events in, with all that follows.
     * @param places where events were that are not there any more
     * @throws an error of which `isTooMuch` holds
     */
    async add(events: readonly SourceEventId[], places: readonly Place[] = []): Promise<void> {
      let frontier = [...places, ...(await taken.lookUp(events))];
      let unlinked = taken.drainFresh();
      while (frontier.length > 0 || unlinked.length > 0) {
        const near = await neighbours(frontier);
        unlinked.push(...taken.drainFresh());
        frontier = [...near, ...(await taken.lookUp(await linksFrom(unlinked)))];
        unlinked = taken.drainFresh();
      }
    },
  };
}

/** The decisions `same` about each event. */
function linksOf(decisions: readonly PlainDecision[]): Map<string, PlainDecision[]> {
  const linked = new Map<string, PlainDecision[]>();
  for (const decision of decisions) {
    if (decision.type === "different") continue;
    for (const { event_id: id } of decision.events) {
      const known = linked.get(id);
      if (known === undefined) linked.set(id, [decision]);
      else known.push(decision);
    }
  }
  return linked;
}

/** The former events whose members are in a closure, as the last refresh left them. */
function createFormerOfClosure(client: ClientBase, { key, revision }: MergeBase) {
  /** Rows by their ids; null for those that were not there. */
  const rows = new Map<string, FormerRow | null>();

  async function read(ids: readonly string[]): Promise<void> {
    for (const id of ids) rows.set(id, null);
    for await (const some of formerRows(client, { key, version: revision }, ids)) {
      for (const row of some) if (row.isPresent) rows.set(row.id, row);
    }
  }

  return {
    all: (): FormerRow[] => [...rows.values()].filter((row) => row !== null),
    /**
     * All members of the former events that have one of some members, of those that were not known yet.
     * @param isInside whether a member is in the closure, or gone
     */
    async membersWith(
      members: readonly string[],
      isInside: (id: string) => boolean,
    ): Promise<readonly FormerMember[]> {
      const ids = await eventsWithMembers(client, { key }, members);
      const unknown = ids.filter((id) => !rows.has(id));
      if (unknown.length === 0) return [];
      await read(unknown);
      return unknown.flatMap((id) => {
        const all = rows.get(id)?.members ?? [];
        if (all.some(({ event_id: member }) => isInside(member))) return all;
        // An event that had the member once has others now.
        if (rows.get(id)) rows.delete(id);
        return [];
      });
    },
  };
}

/** Thrown for a closure of so many events that merging all again takes no longer. */
class TooLarge extends Error {}

const isTooMuch = (error: unknown): boolean =>
  error instanceof TooLarge || error instanceof TooManyNear;

/**
 * The events that were taken into a closure.
 * @param most of them
 */
function createTakenEvents(client: ClientBase, sources: readonly MergeSource[], most: number) {
  /** The source of each, by its id. */
  const inside = new Map<string, number>();
  /** Those that are not there any more. */
  const gone = new Set<string>();
  /** Those that were taken since they were asked for, and those that were found gone. */
  let fresh: string[] = [];

  /** @returns those that are new. @throws TooLarge */
  function take(events: readonly PlacedEvent[], source: number): Place[] {
    const places: Place[] = [];
    for (const { id, ...place } of events) {
      if (inside.has(id)) continue;
      inside.set(id, source);
      fresh.push(id);
      places.push({ ...place, source });
    }
    if (inside.size > most) throw new TooLarge();
    return places;
  }

  return {
    inside: inside as ReadonlyMap<string, number>,
    isKnown: (id: string) => inside.has(id) || gone.has(id),
    take,
    /** Takes the events that are there. @returns those that are new. @throws TooLarge */
    async lookUp(wanted: readonly SourceEventId[]): Promise<Place[]> {
      const places: Place[] = [];
      for (const [source, events] of Map.groupBy(wanted, (event) => event.source)) {
        const version = sources[source];
        const ids = [...new Set(events.map(({ id }) => id))].filter((id) => !inside.has(id));
        if (version === undefined || ids.length === 0) continue;
        places.push(...take(await eventsById(client, version, ids), source));
        for (const id of ids) {
          if (inside.has(id) || gone.has(id)) continue;
          gone.add(id);
          fresh.push(id);
        }
      }
      return places;
    },
    /** The ids that are new since the last time. */
    drainFresh(): string[] {
      const ids = fresh;
      fresh = [];
      return ids;
    },
  };
}

/** The events of a merged catalogue before a refresh, and which group of the new merge goes on with each. */

/**
 * Finds the heirs of the events that the merge, or its last refresh, left.
 * @param ids those events whose members the plan is of; null for all
 */
async function readFormerEvents(
  client: ClientBase,
  { id: catalogueId, key, revision, formerCount }: MergeBase,
  { grouping, origins }: MergePlan,
  ids: readonly string[] | null,
) {
  const groups = groupByRow(grouping);
  const rowOf = rowsById(origins.ids, origins.length);
  const groupOf = (member: string): number => {
    const row = rowOf(member);
    return row === -1 ? NO_GROUP : at(groups, row);
  };
  const events = createIdColumn(catalogueId, ids?.length ?? formerCount);
  const heirs = createHeirs(grouping.count);
  for await (const { id, founder, members } of formerEvents(
    formerRows(client, { key, version: revision }, ids),
  )) {
    heirs.offer(events.push(id), {
      founder: founder === null ? NO_GROUP : groupOf(founder),
      members: members.map(groupOf).filter((group) => group !== NO_GROUP),
      size: members.length,
    });
  }
  const isKept = new Uint8Array(events.length());
  for (let group = 0; group < grouping.count; group += 1) {
    const event = heirs.eventOf(group);
    if (event !== NO_EVENT) isKept[event] = 1;
  }
  return {
    /** The id that a group goes on with; null where it is a new event. */
    idOf(group: number): string | null {
      const event = heirs.eventOf(group);
      return event === NO_EVENT ? null : events.idOf(event);
    },
    /** Whether a group goes on with it. */
    isKept: (id: string): boolean => isKept[events.indexOf(id)] === 1,
  };
}

type FormerEvent = {
  readonly id: string;
  /** The member that was chosen when the event was made. */
  readonly founder: string | null;
  readonly members: readonly string[];
};

/** @param rows in order of the ids, the oldest of each event first */
async function* formerEvents(
  rows: AsyncIterable<readonly FormerRow[]>,
): AsyncGenerator<FormerEvent> {
  let known: Omit<FormerEvent, "members"> = { id: "", founder: null };
  for await (const batch of rows) {
    for (const { id, isPresent, members } of batch) {
      if (known.id !== id)
        known = { id, founder: members?.find(({ chosen }) => chosen)?.event_id ?? null };
      if (isPresent) yield { ...known, members: (members ?? []).map((one) => one.event_id) };
    }
  }
}

/** Ids of events of one catalogue in their order, in 12 bytes each. */
function createIdColumn(catalogueId: string, capacity: number) {
  const revisions = new Int32Array(capacity);
  const indexes = new Float64Array(capacity);
  let length = 0;
  return {
    length: () => length,
    push(id: string): number {
      if (length === capacity) throw new RangeError(`there is room for ${capacity} ids only`);
      const { revision, index } = eventIdPlace(id);
      revisions[length] = revision;
      indexes[length] = index;
      length += 1;
      return length - 1;
    },
    idOf: (event: number): string => eventId(catalogueId, at(revisions, event), at(indexes, event)),
    /** −1 for none. */
    indexOf(id: string): number {
      const { revision, index } = eventIdPlace(id);
      let [first, end] = [0, length];
      while (first < end) {
        const middle = (first + end) >>> 1;
        const order = at(revisions, middle) - revision || at(indexes, middle) - index;
        if (order === 0) return middle;
        if (order < 0) first = middle + 1;
        else end = middle;
      }
      return -1;
    },
  };
}
