/** Entry point of the threads that compare catalogues: a million events must not block other requests. */

import type { ClientBase } from "pg";
import { Refusal } from "#contracts/errors.ts";
import type { ComparedCatalogue } from "#contracts/http/analytics/comparison.ts";
import { openWatchedSession } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { workerStream } from "#infra/threads/task.ts";
import { isoTime } from "#projections/read/copied-rows.ts";
import { orderedRows } from "#projections/read/merges/sources.ts";
import { type ResolvedVersion, requirePresent } from "#projections/read/versions.ts";
import {
  type ComparedEvents,
  type Comparison,
  compareCatalogues,
} from "#services/domain/analytics/comparison.ts";
import { TooManyCandidates } from "#services/domain/merges/grouping/group-events.ts";
import { createOriginsBuilder } from "#services/domain/merges/grouping/origins.ts";
import { thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";

/** A version of a catalogue to be compared. */
type ComparedVersion = Pick<ResolvedVersion, "id" | "key" | "version" | "eventCount">;

const COLUMNS = [
  "source",
  "event_id",
  "time",
  "latitude",
  "longitude",
  "depth",
  "depth_type",
  "magnitude",
  "magnitude_type",
] as const;

/** The columns. */
type ComparedRow = readonly [
  source: string,
  id: string,
  time: string,
  latitude: string,
  longitude: string,
  depth: string | null,
  depthType: string | null,
  magnitude: string | null,
  magnitudeType: string | null,
];

const TIME_DIGITS = 6;
/** Such a depth was set, not determined. */
const FIXED = "operator assigned";

type ReadCompared = {
  readonly events: ComparedEvents;
  readonly catalogues: readonly ComparedCatalogue[];
};

/**
 * The events of both versions by column, in order of time.
 * @param client in a transaction with isolation REPEATABLE READ
 * @param onBatch called with the number of events read so far
 * @throws Refusal NOT_FOUND where a catalogue is gone
 */
async function* readCompared(
  client: ClientBase,
  versions: readonly ComparedVersion[],
): AsyncGenerator<number, ReadCompared> {
  for (const version of versions) await requirePresent(statementsOn(client), version);
  const count = versions.reduce((sum, { eventCount }) => sum + eventCount, 0);
  const origins = createOriginsBuilder(count);
  const depths = new Float64Array(count).fill(Number.NaN);
  const magnitudes = new Float64Array(count).fill(Number.NaN);
  const types = new Int32Array(count);
  const typeNames = new Map<string | null, number>();
  const catalogues = versions.map(({ id, version }) => emptyCatalogue(id, version));
  let length = 0;
  for await (const rows of orderedRows(client, versions, COLUMNS)) {
    for (const row of rows) {
      const [source, id, text, latitude, longitude, depth, depthType, magnitude, type] =
        row as unknown as ComparedRow;
      const time = isoTime(text, TIME_DIGITS);
      const place = { latitude: Number(latitude), longitude: Number(longitude) };
      origins.push({ source: Number(source), id, time, ...place });
      if (depth !== null && depthType !== FIXED) depths[length] = Number(depth);
      if (magnitude !== null) magnitudes[length] = Number(magnitude);
      types[length] = typeNames.get(type) ?? typeNames.size;
      if (!typeNames.has(type)) typeNames.set(type, typeNames.size);
      const catalogue = catalogues[Number(source)];
      if (catalogue !== undefined) addTo(catalogue, time, magnitude);
      length += 1;
    }
    yield length;
  }
  if (length !== count) throw new Error(`${length} of ${count} events were there`);
  const events = { origins: origins.finish(), depths, magnitudes, types };
  return { events: { ...events, typeNames: [...typeNames.keys()] }, catalogues };
}

function emptyCatalogue(catalogue: string, version: number): ComparedCatalogue {
  return { catalogue, version, events: 0, withoutMagnitude: 0, start: null, end: null };
}

/** Adds an event, not earlier than those before. */
function addTo(catalogue: ComparedCatalogue, time: string, magnitude: string | null): void {
  catalogue.events += 1;
  if (magnitude === null) catalogue.withoutMagnitude += 1;
  catalogue.start ??= time;
  catalogue.end = time;
}

export type CompareRequest = {
  /** The first catalogue's, then the second's. */
  readonly versions: readonly [ComparedVersion, ComparedVersion];
  /** Seconds. */
  readonly timeThreshold: number;
  /** Kilometres. */
  readonly distanceThreshold: number;
  readonly eta: number;
};

export type CompareTask = CompareRequest & { readonly databaseUrl: string };

export type ComparedCatalogues = Comparison & { readonly catalogues: readonly ComparedCatalogue[] };

/** Progress in events read, and the comparison. @throws Refusal NOT_FOUND, MERGE_ERROR */
export const compare = workerStream(async function* ({
  databaseUrl,
  ...request
}: CompareTask): AsyncGenerator<number, ComparedCatalogues> {
  await using session = await openWatchedSession(databaseUrl, "compare");
  const { client } = session;
  try {
    await client.query("begin isolation level repeatable read, read only");
    const { events, catalogues } = yield* readCompared(client, request.versions);
    const thresholds = thresholdsOf(request.timeThreshold, request.distanceThreshold);
    return { ...compareCatalogues(events, { thresholds, eta: request.eta }), catalogues };
  } catch (cause) {
    if (!(cause instanceof TooManyCandidates)) throw cause;
    throw new Refusal("MERGE_ERROR", `${cause.message}; narrow them`, { cause });
  }
});
