/** What a merge shows of its events before anything is written: pairs, duplicates, an evaluation. */

import type { ClientBase } from "pg";
import type { Duplicates } from "#contracts/http/events.ts";
import type { MergeEvaluation, MergePreview } from "#contracts/http/merges.ts";
import { MERGE_LIMITS } from "#contracts/merges/config.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { createRecordReader } from "#projections/read/copied-rows.ts";
import {
  DUPLICATE_COLUMNS,
  labelRows,
  PLACED_COLUMNS,
  placedRows,
  versionOrigins,
} from "#projections/read/merges/sources.ts";
import { type ResolvedVersion, requirePresent } from "#projections/read/versions.ts";
import {
  countPairs,
  countTruePairs,
  NO_LABEL,
  type Truth,
  worstPairs,
} from "#services/domain/merges/evaluation.ts";
import {
  findAmbiguousPairs,
  type AmbiguousPair as RowPair,
} from "#services/domain/merges/grouping/ambiguous-pairs.ts";
import { type Grouping, membersOf, sizeOf } from "#services/domain/merges/grouping/group-events.ts";
import {
  at,
  createOriginsBuilder,
  type Origins,
  thresholdsOf,
} from "#services/domain/merges/grouping/thresholds.ts";
import { groupRows, type MergePlan, originOf } from "./plan.ts";

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
