import type { ClientBase } from "pg";
import type { MergePreview } from "#contracts/http/merges/merge.ts";
import { MERGE_LIMITS } from "#contracts/merge/merge-config.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { PLACED_COLUMNS, placedRows } from "#projections/read/merges/sources.ts";
import { createRecordReader } from "#projections/read/versions.ts";
import {
  findAmbiguousPairs,
  type AmbiguousPair as RowPair,
} from "#services/domain/merges/grouping/ambiguous-pairs.ts";
import { at } from "#services/domain/merges/grouping/origins.ts";
import type { MergePlan } from "./plan/merge-plan.ts";

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
export async function shownPairs(
  client: ClientBase,
  plan: MergePlan,
  found: readonly RowPair[],
): Promise<AmbiguousPair[]> {
  const places = await placesOf(
    client,
    plan,
    found.flatMap(({ first, second }) => [first, second]),
  );
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

const EVENT_ID = PLACED_COLUMNS.indexOf("event_id");
const recordOf = createRecordReader(PLACED_COLUMNS);

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
    for await (const batch of placedRows(client, source, [...ids])) {
      for (const row of batch) places.set(row[EVENT_ID] ?? "", placeOf(recordOf(row)));
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
