/** Entry point of the merge threads: merging a million events must not block other requests. */

import type { ClientBase } from "pg";
import type { Bounds } from "#contracts/events/catalogues.ts";
import type { Duplicates } from "#contracts/http/events.ts";
import type {
  MergeCounts,
  MergeEvaluation,
  MergePreview,
  ScoreParts,
} from "#contracts/http/merges.ts";
import { MERGE_LIMITS } from "#contracts/merges/config.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createChunkWriter } from "#infra/log/chunks.ts";
import { openThreadSession } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { workerStream, workerTask } from "#infra/threads/task.ts";
import { createRecordReader } from "#projections/read/copied-rows.ts";
import { type FoundPair, readDecisions, replacePairs } from "#projections/read/merges/decisions.ts";
import {
  DUPLICATE_COLUMNS,
  labelRows,
  latestVersions,
  type MergeBase,
  PLACED_COLUMNS,
  placedRows,
  readMergeBase,
  versionOrigins,
} from "#projections/read/merges/refresh.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { type ResolvedVersion, requirePresent } from "#projections/read/versions.ts";
import { CHUNKS_AHEAD, type Chunk } from "../changes/revision-changes.ts";
import {
  countPairs,
  countTruePairs,
  NO_LABEL,
  type Truth,
  worstPairs,
} from "../domain/merges/evaluation.ts";
import {
  findAmbiguousPairs,
  type AmbiguousPair as RowPair,
} from "../domain/merges/grouping/ambiguous-pairs.ts";
import { type Grouping, membersOf, sizeOf } from "../domain/merges/grouping/group-events.ts";
import {
  at,
  createOriginsBuilder,
  type Origins,
  thresholdsOf,
} from "../domain/merges/grouping/thresholds.ts";
import { mergeGroup, qualityScore } from "../domain/merges/solution/merge-group.ts";
import { decisionsInForce } from "./decisions.ts";
import {
  completeGroups,
  groupRows,
  type MergePlan,
  type MergeRequest,
  type MergeSource,
  mergedEvents,
  originOf,
  planMerge,
  planOf,
  standsFor,
} from "./plan.ts";
import { previewRefreshed, refreshed } from "./refresh.ts";

/** Known before the first merged event. */
type MergeBegin = {
  readonly sources: readonly MergeSource[];
  readonly counts: MergeCounts;
};

type MergeEnd = { readonly added: number; readonly bounds: Bounds };

export const previewRefresh = workerTask(previewRefreshed);
export const streamRefreshed = workerStream(refreshed, CHUNKS_AHEAD);

/** The merged events as the chunks of a catalogue's first revision, in order of time. */
export const streamMerged = workerStream(merged, CHUNKS_AHEAD);

async function* merged(
  task: MergeRequest,
): AsyncGenerator<{ readonly begin: MergeBegin } | Chunk, MergeEnd> {
  await using planned = await openPlan(task);
  const { client, plan } = planned;
  yield { begin: { sources: plan.sources, counts: plan.counts } };
  const writer = createChunkWriter();
  for await (const rows of mergedEvents(client, plan)) {
    for (const { record, bulletin } of rows) {
      const chunk = writer.add(record, bulletin);
      if (chunk !== null) yield { chunk };
    }
  }
  const chunk = writer.finish();
  if (chunk !== null) yield { chunk };
  return { added: writer.counts().added, bounds: writer.bounds() };
}

export const findPairs = workerTask(foundPairs);

export const previewMerged = workerTask(async (task: MergeRequest): Promise<MergePreview> => {
  await using planned = await openPlan(task);
  return await previewOf(planned.client, planned.plan);
});

/** Progress in cells of the grid. */
export const evaluateMerged = workerStream(async function* ({
  grid,
  ...task
}: MergeRequest & { readonly grid: EvaluationGrid }): AsyncGenerator<number, MergeEvaluation> {
  await using planned = await openPlan(task, MERGE_LIMITS.evaluated);
  return yield* evaluated(planned.client, planned.plan, grid);
});

export const findDuplicates = workerTask(
  async (request: DuplicatesRequest): Promise<Duplicates> => {
    await using session = await openThreadSession("duplicates");
    await session.client.query("begin isolation level repeatable read, read only");
    return await duplicatesIn(session.client, request);
  },
);

/** One snapshot for all reads: no source can change or disappear in between. */
async function openPlan(request: MergeRequest, maxEvents?: number) {
  const session = await openThreadSession("merge");
  try {
    await session.client.query("begin isolation level repeatable read, read only");
    return { ...session, plan: await planMerge(session.client, request, maxEvents) };
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** The preview of a merge: its groups and the pairs that a person should check. */
async function previewOf(client: ClientBase, plan: MergePlan): Promise<MergePreview> {
  const groups = await duplicateGroups(client, plan);
  const { pairs, truncated } = await ambiguousPairs(client, plan);
  const hasMore = plan.counts.duplicateGroups > groups.length;
  return { ...plan.counts, groups, ambiguous: pairs, truncated: truncated || hasMore };
}

/** The first groups of more than one event. */
async function duplicateGroups(
  client: ClientBase,
  plan: MergePlan,
): Promise<MergePreview["groups"]> {
  const wanted = firstDuplicates(plan);
  if (wanted.size === 0) return [];
  const byNumber = new Map<number, MergePreview["groups"][number]>();
  // To the end of the rows: after an early return the connection would be in the middle of a COPY.
  const isWanted = (group: number) => wanted.has(group);
  for await (const complete of completeGroups(client, plan, isWanted, false)) {
    for (const { group, members } of complete) {
      const { record, reason } = mergeGroup(members, plan.rules);
      const records = new Map(members.map((one) => [one.eventId, one.record]));
      const sources = (record.source_events ?? []).map((one) => {
        const own = records.get(one.event_id);
        if (own === undefined) throw new RangeError(`no member ${one.event_id}`);
        return { ...one, ...placeOf(own), score_parts: scorePartsOf(own) };
      });
      byNumber.set(group, { reason, members: sources });
    }
  }
  return [...byNumber].sort(([a], [b]) => a - b).map(([, group]) => group);
}

function scorePartsOf(record: SeismicEventRecord): ScoreParts {
  const { total: _, magnitudeUncertainty, magnitudeType, ...parts } = qualityScore(record);
  return {
    ...parts,
    magnitude_uncertainty: magnitudeUncertainty,
    magnitude_type: magnitudeType,
  };
}

function firstDuplicates({ grouping }: MergePlan): Set<number> {
  const first = new Set<number>();
  for (let group = 0; group < grouping.count && first.size < MERGE_LIMITS.preview; group += 1) {
    if (membersOf(grouping, group).length > 1) first.add(group);
  }
  return first;
}

/**
 * Finds the pairs of a merge as it was merged last, and keeps them. Of decisions those count that hold now.
 * @throws Refusal MERGE_ERROR
 */
async function foundPairs({ catalogueId }: { readonly catalogueId: string }): Promise<void> {
  await using session = await openThreadSession("merge review");
  const { client } = session;
  await client.query("begin isolation level repeatable read, read only");
  const base = await readMergeBase(client, catalogueId);
  if (base === null) return;
  const ids = base.sources.map(({ id }) => id);
  const latest = await latestVersions(client, ids, SERVICE);
  const sources = asMerged(base, latest);
  const made = await readDecisions(statementsOn(client), catalogueId);
  const decisions = await decisionsInForce(client, latest, made);
  const pairs = pairsOf(await planOf(client, sources, base.config, { decisions }));
  await client.query("commit");
  await replacePairs(client, catalogueId, standsFor(base), pairs);
}

/** The sources that are there still, as of the versions that were merged. */
function asMerged({ sources }: MergeBase, latest: readonly Omit<MergeSource, "source">[]) {
  const byId = new Map(latest.map((one) => [one.id, one]));
  return sources.flatMap(({ id, source, version, event_count: eventCount }) => {
    const known = byId.get(id);
    return known === undefined ? [] : [{ ...known, source, version, eventCount }];
  });
}

/** What people can look at, and far more than they will: some 200 bytes each. */
const MAX_PAIRS = 500_000;

function pairsOf({ origins, groupingRules, grouping, sources }: MergePlan): FoundPair[] {
  const { pairs } = findAmbiguousPairs(origins, groupingRules, grouping, MAX_PAIRS);
  const idOf = (row: number) => ({
    catalogueId: sources[at(origins.source, row)]?.id ?? "",
    eventId: origins.ids.textOf(row) ?? "",
  });
  return pairs.map((pair) => ({ ...pair, first: idOf(pair.first), second: idOf(pair.second) }));
}

/** What a merge shows of its events before anything is written: pairs, duplicates, an evaluation. */

type AmbiguousPair = MergePreview["ambiguous"][number];
type PreviewPlace = Pick<
  SeismicEventRecord,
  "time" | "latitude" | "longitude" | "depth" | "magnitude"
>;

/**
 * The pairs that a person should check, with both events as their catalogues have them.
 * @param client in the transaction of the plan
 */
export async function ambiguousPairs(
  client: ClientBase,
  plan: MergePlan,
): Promise<{ pairs: AmbiguousPair[]; truncated: boolean }> {
  const { origins, groupingRules, grouping } = plan;
  const doubtful = findAmbiguousPairs(origins, groupingRules, grouping, MERGE_LIMITS.preview);
  return { pairs: await shownPairs(client, plan, doubtful.pairs), truncated: doubtful.truncated };
}

/**
 * Pairs of rows of a plan as they are shown, in their order.
 * @param client in the transaction of the plan
 */
async function shownPairs(
  client: ClientBase,
  plan: MergePlan,
  found: readonly RowPair[],
): Promise<AmbiguousPair[]> {
  const rows = found.flatMap(({ first, second }) => [first, second]);
  const places = await placesOf(client, plan, rows);
  return found.map((pair) => ({
    first: pairedEvent(plan, places, pair.first),
    second: pairedEvent(plan, places, pair.second),
    time_difference: pair.timeDifference,
    distance: pair.distance,
    magnitude_difference: pair.magnitudeDifference,
  }));
}

/** What a preview shows of an event. */
export function placeOf({
  time,
  latitude,
  longitude,
  depth,
  magnitude,
}: SeismicEventRecord): PreviewPlace {
  return { time, latitude, longitude, depth, magnitude };
}

/** Events of a version by their ids, by columns of which `event_id` is one. */
async function recordsById(
  client: ClientBase,
  version: Parameters<typeof placedRows>[1],
  columns: Parameters<typeof placedRows>[2],
  ids: readonly string[],
): Promise<Map<string, SeismicEventRecord>> {
  const recordOf = createRecordReader(columns);
  const eventId = columns.indexOf("event_id");
  const records = new Map<string, SeismicEventRecord>();
  for await (const batch of placedRows(client, version, columns, ids)) {
    for (const row of batch) records.set(row[eventId] ?? "", recordOf(row));
  }
  return records;
}

/** The events of these rows of the plan, by id. */
async function placesOf(
  client: ClientBase,
  { origins, sources }: MergePlan,
  rows: readonly number[],
): Promise<Map<string, PreviewPlace>> {
  const places = new Map<string, PreviewPlace>();
  for (const [order, source] of sources.entries()) {
    const own = rows.filter((row) => at(origins.source, row) === order);
    const ids = new Set(own.map((row) => origins.ids.textOf(row) ?? ""));
    if (ids.size === 0) continue;
    for (const [id, record] of await recordsById(client, source, PLACED_COLUMNS, [...ids])) {
      places.set(id, placeOf(record));
    }
  }
  return places;
}

function pairedEvent(
  { origins, sources, sourceIds }: MergePlan,
  places: ReadonlyMap<string, PreviewPlace>,
  row: number,
): AmbiguousPair["first"] {
  const source = sources[at(origins.source, row)];
  const eventId = origins.ids.textOf(row) ?? "";
  const place = places.get(eventId);
  if (source === undefined || place === undefined) throw new RangeError(`no row ${row}`);
  return {
    catalogue_id: source.id,
    event_id: eventId,
    source_id: sourceIds.textOf(row),
    source: source.source,
    ...place,
  };
}

export type DuplicatesRequest = {
  readonly version: Pick<ResolvedVersion, "id" | "key" | "version" | "eventCount">;
  readonly filters: EventFilters;
  /** Seconds. */
  readonly timeThreshold: number;
  /** Kilometres. */
  readonly distanceThreshold: number;
  readonly magnitudeDifference?: number | undefined;
};

/**
 * Groups the events of one version as a merge does where each is of a source of its own.
 * @param client in a transaction with isolation REPEATABLE READ
 * @throws Refusal NOT_FOUND, MERGE_ERROR where thresholds make too many pairs
 */
export async function duplicatesIn(
  client: ClientBase,
  { version, filters, timeThreshold, distanceThreshold, magnitudeDifference }: DuplicatesRequest,
): Promise<Duplicates> {
  await requirePresent(statementsOn(client), version);
  const origins = await versionRows(client, version, filters);
  const grouping = groupRows(origins, {
    thresholds: thresholdsOf(timeThreshold, distanceThreshold),
    ...(magnitudeDifference !== undefined && { magnitudeDifference }),
  });
  const { groups, truncated } = firstGroups(grouping);
  const idOf = (row: number) => origins.ids.textOf(row) ?? "";
  const ids = groups.map((rows) => Array.from(rows, idOf));
  const records = await recordsById(client, version, DUPLICATE_COLUMNS, ids.flat());
  const memberOf = (id: string) => {
    const record = records.get(id);
    if (record === undefined) throw new RangeError(`no event ${id}`);
    return { event_id: id, source_id: record.source_id, ...placeOf(record) };
  };
  return {
    version: version.version,
    groups: ids.map((members) => ({ members: members.map(memberOf) })),
    truncated,
  };
}

/** The events of a version, each as of a source of its own. */
async function versionRows(
  client: ClientBase,
  version: DuplicatesRequest["version"],
  filters: EventFilters,
): Promise<Origins> {
  const builder = createOriginsBuilder(version.eventCount);
  let source = 0;
  for await (const rows of versionOrigins(client, version, filters)) {
    for (const row of rows) {
      builder.push(originOf(source, row));
      source += 1;
    }
  }
  return builder.finish();
}

/** Groups of more than one event, as many as are shown. */
function firstGroups(grouping: Grouping): { groups: Int32Array[]; truncated: boolean } {
  const groups: Int32Array[] = [];
  let members = 0;
  for (let group = 0; group < grouping.count; group++) {
    const size = sizeOf(grouping, group);
    if (size === 1) continue;
    members += size;
    const isFull = groups.length === MERGE_LIMITS.duplicateGroups;
    if (isFull || members > MERGE_LIMITS.duplicateMembers) return { groups, truncated: true };
    groups.push(membersOf(grouping, group));
  }
  return { groups, truncated: false };
}

/** The thresholds that are tried, and the member of `extra` that knows the truth. */
export type EvaluationGrid = {
  readonly truth: string;
  /** Seconds. */
  readonly timeThresholds: readonly number[];
  /** Kilometres. */
  readonly distanceThresholds: readonly number[];
};

/**
 * Groups the events of a plan by each pair of thresholds. Yields the number of those done.
 * @param client in the transaction of the plan
 * @throws Refusal MERGE_ERROR where thresholds make too many pairs
 */
export async function* evaluated(
  client: ClientBase,
  plan: MergePlan,
  { truth: member, timeThresholds, distanceThresholds }: EvaluationGrid,
): AsyncGenerator<number, MergeEvaluation> {
  const labels = await readLabels(client, plan, member);
  const truth: Truth = { labels, source: plan.origins.source };
  const truePairs = countTruePairs(truth);
  const results: MergeEvaluation["results"][number][] = [];
  for (const timeThreshold of timeThresholds) {
    for (const distanceThreshold of distanceThresholds) {
      const thresholds = thresholdsOf(timeThreshold, distanceThreshold);
      const grouping = groupRows(plan.origins, { ...plan.groupingRules, thresholds });
      const { pairs, correct } = countPairs(grouping, truth);
      results.push({
        timeThreshold,
        distanceThreshold,
        pairs,
        correct,
        missed: truePairs - correct,
        precision: share(correct, pairs),
        recall: share(correct, truePairs),
      });
      yield results.length;
    }
  }
  const { origins, rules, grouping } = plan;
  const worst = worstPairs(origins, rules.thresholds, grouping, labels, MERGE_LIMITS.worst);
  const shown = await shownPairs(client, plan, worst);
  return {
    results,
    worst: worst.map(({ verdict }, i) => ({ ...(shown[i] as (typeof shown)[number]), verdict })),
  };
}

const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);

/** The label of each row of the plan as a number; a blank one is none. */
async function readLabels(
  client: ClientBase,
  { sources, origins }: MergePlan,
  member: string,
): Promise<Int32Array> {
  const labels = new Int32Array(origins.length).fill(NO_LABEL);
  const numbers = new Map<string, number>();
  let row = 0;
  for await (const rows of labelRows(client, sources, member)) {
    for (const [text = null] of rows) {
      const label = text?.trim() ?? "";
      if (label !== "") {
        const number = numbers.get(label) ?? numbers.size;
        numbers.set(label, number);
        labels[row] = number;
      }
      row += 1;
    }
  }
  if (row !== origins.length) throw new Error(`${row} of ${origins.length} events were there`);
  return labels;
}
