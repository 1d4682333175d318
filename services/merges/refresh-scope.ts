/** What a refresh has to merge again, and what it opens to find that out. */

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ClientBase } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { Refusal, RetryLater } from "#contracts/errors.ts";
import type { MergeConfig } from "#contracts/merges/config.ts";
import type { DecidedEvent, MergeDecision } from "#contracts/merges/decisions.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import { openThreadSession } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { readDecisions } from "#projections/read/merges/decisions.ts";
import {
  changedEvents,
  countChanges,
  countDuplicateGroupsAt,
  eventsWithMembers,
  existingAmong,
  type FormerRow,
  formerRows,
  holdersOf,
  type MergeBase,
  readMergeBase,
  touchedEvents,
} from "#projections/read/merges/refresh.ts";
import { latestVersions } from "#projections/read/merges/sources.ts";
import type { Reader } from "#projections/read/rights.ts";
import type { PlainDecision } from "#services/domain/merges/decisions.ts";
import { GROUPING_RULES } from "#services/domain/merges/grouping/group-events.ts";
import { type Thresholds, thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";
import type { Place } from "#services/domain/merges/refresh.ts";
import { mergeGroup } from "#services/domain/merges/solution/merge-group.ts";
import { presentDecisions, requireDecidable } from "./decisions.ts";
import { type FormerEvents, readFormerEvents } from "./former-events.ts";
import { completeGroups, type MergePlan, type MergeSource, planOf } from "./plan.ts";
import {
  type Closure,
  type ClosureRules,
  createClosure,
  eventsIn,
  isTooMuch,
  type SourceEventId,
} from "./refresh-closure.ts";

/** What a refresh is of. */
export type RefreshScope = {
  readonly base: MergeBase;
  readonly plan: MergePlan;
  readonly former: FormerEvents;
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

/** What has changed of a merge since its last refresh. */
type ChangedSince = {
  readonly events: readonly SourceEventId[];
  /** Where events were. */
  readonly places: readonly Place[];
  /** Events of decisions that were made or withdrawn, or are tried. */
  readonly touched: readonly string[];
  /** Events of the merged catalogue that were changed by hand. */
  readonly byHand: readonly string[];
};

/** Whether the same settings make groups and events. */
function isSameMerge(before: MergeConfig, now: MergeConfig): boolean {
  const { follow: _, ...one } = before;
  const { follow: __, ...other } = now;
  return isDeepStrictEqual(one, other);
}

/** Null where there are more than `most` changes. */
async function changedSince(
  { client, base, sources }: OpenRefresh,
  { tried }: Pick<Decided, "tried">,
  most: number,
): Promise<ChangedSince | null> {
  const mergedBefore = base.sources.map(({ version }) => version);
  let count = await countChanges(client, base, base.revision);
  for (const [place, source] of sources.entries()) {
    count += await countChanges(client, source, mergedBefore[place] ?? 0);
  }
  if (count > most) return null;
  const events: SourceEventId[] = [];
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
