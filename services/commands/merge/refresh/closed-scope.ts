import { idsOf } from "#contracts/seismic-event/public-id.ts";
import {
  countDuplicateGroupsAt,
  eventsWithMembers,
  type FormerRow,
  formerRows,
  holdersOf,
} from "#projections/read/merges/refresh.ts";
import { mergeGroup } from "#services/domain/merges/solution/merge-group.ts";
import { completeGroups } from "../plan/complete-groups.ts";
import { type MergePlan, planOf } from "../plan/merge-plan.ts";
import { changedSince, type Decided, decidedAnew } from "./changed-since.ts";
import { type Closure, type ClosureRules, createClosure, isTooMuch } from "./closure.ts";
import { readFormerEvents } from "./former-events.ts";
import type { OpenRefresh } from "./open-refresh.ts";
import type { RefreshScope } from "./refresh-scope.ts";
import type { SourceEventId } from "./taken-events.ts";

/**
 * What a refresh by the same settings is of: the events that changed with all that their groups, and the ids of their
 * events, depend on (infra/decisions/0047). Null where these are more than `most`.
 */
export async function closedScope(
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
  const placeOf = new Map(sources.map(({ id }, place) => [id, place]));
  const members: SourceEventId[] = [];
  for await (const rows of formerRows(client, { key: base.key, version: base.revision }, ids)) {
    for (const { isPresent, members: all } of rows) {
      for (const { catalogue_id, event_id: id } of (isPresent && all) || []) {
        const source = placeOf.get(catalogue_id);
        if (source !== undefined) members.push({ source, id });
      }
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
