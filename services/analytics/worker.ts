/** Entry point of the threads that compare catalogues and decluster: a million events must not block other requests. */

import type { ClientBase } from "pg";
import type { ClusterRole, DeclusterMethod } from "#contracts/analytics/declustering.ts";
import { Refusal } from "#contracts/errors.ts";
import type { Bounds } from "#contracts/events/catalogues.ts";
import type { ComparedCatalogue } from "#contracts/http/analytics/comparison.ts";
import { type EventFilters, filterTexts } from "#contracts/query/filters.ts";
import { packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { createChunkWriter } from "#infra/log/chunks.ts";
import { openThreadSession } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { findResult, keepResult } from "#infra/stores/declustering.ts";
import { workerStream, workerTask } from "#infra/threads/task.ts";
import { eventPositions, labelledEvents, POSITION } from "#projections/read/analytics/counts.ts";
import type { AnalysisSelection } from "#projections/read/conditions.ts";
import {
  createRecordReader,
  EVENT_COLUMN_COUNT,
  EVENT_COLUMN_NAMES,
  readCopiedBulletin,
  toIsoTime,
} from "#projections/read/copied-rows.ts";
import { orderedRows } from "#projections/read/merges/refresh.ts";
import { type ResolvedVersion, requirePresent } from "#projections/read/versions.ts";
import { CHUNKS_AHEAD, type Chunk } from "#services/changes/revision-changes.ts";
import {
  type ComparedEvents,
  type Comparison,
  compareCatalogues,
} from "#services/domain/analytics/comparison.ts";
import { type Declustered, decluster } from "#services/domain/analytics/declustering/decluster.ts";
import { ROLE } from "#services/domain/analytics/declustering/event-table.ts";
import {
  type FamilyOptions,
  proximityDistribution,
} from "#services/domain/analytics/declustering/nearest-neighbour.ts";
import { TooManyCandidates } from "#services/domain/merges/grouping/group-events.ts";
import { createOriginsBuilder, thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";

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
      const time = toIsoTime(text, TIME_DIGITS);
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

export type ComparedCatalogues = Comparison & { readonly catalogues: readonly ComparedCatalogue[] };

/** Progress in events read, and the comparison. @throws Refusal NOT_FOUND, MERGE_ERROR */
export const compare = workerStream(async function* (
  request: CompareRequest,
): AsyncGenerator<number, ComparedCatalogues> {
  await using session = await openThreadSession("compare");
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

/** The events of a selection that have a magnitude, with their ids, by time, then id. */
async function readEventTable(client: ClientBase, selection: AnalysisSelection) {
  const ids: string[] = [];
  const columns = createColumns(["time", "latitude", "longitude", "depth", "magnitude"]);
  for await (const rows of eventPositions(client, selection)) {
    for (const row of rows) {
      ids.push(row[POSITION.id] ?? "");
      columns.push(row);
    }
  }
  const [times, latitudes, longitudes, depths, magnitudes] = columns.take();
  const table = { length: ids.length, times, latitudes, longitudes, depths, magnitudes };
  return { ids, table };
}

type Columns = readonly [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];

const FIRST_CAPACITY = 4_096;

/** Numbers by column, in memory that doubles; NaN for null. */
function createColumns(names: readonly (keyof typeof POSITION)[]) {
  let capacity = FIRST_CAPACITY;
  let length = 0;
  let columns = names.map(() => new Float64Array(capacity));
  return {
    push(row: readonly (string | null)[]): void {
      if (length === capacity) {
        capacity *= 2;
        columns = columns.map((column) => {
          const larger = new Float64Array(capacity);
          larger.set(column);
          return larger;
        });
      }
      for (const [i, name] of names.entries()) {
        const text = row[POSITION[name]];
        const column = columns[i];
        if (column) column[length] = text == null ? Number.NaN : Number(text);
      }
      length += 1;
    },
    take: () => columns.map((column) => column.subarray(0, length)) as unknown as Columns,
  };
}

type DeclusterTask = {
  /** Id of the result that is kept. */
  readonly result: string;
  readonly version: AnalysisSelection["version"];
  readonly filters: EventFilters;
  readonly method: DeclusterMethod;
};

/** Asked of the caller while it works, for its progress. */
export type DeclusterProgress = { readonly done: number; readonly total: number };

/** Finds the clusters, keeps their labels and tells what it has found. */
export const findClusters = workerStream(async function* (
  { result, version, filters, method }: DeclusterTask,
  { alive, call },
): AsyncGenerator<never, Omit<Declustered, "labels">> {
  await using session = await openThreadSession("decluster");
  const { client } = session;
  const { ids, table } = await readEventTable(client, { version, filters });
  const clusters = decluster(table, method, (done) => {
    alive();
    // Sent at once, though nothing is received before the computation ends.
    call<DeclusterProgress, void>({ done, total: table.length }).catch(() => {});
  });
  await client.query("begin");
  const { id: catalogueId, version: of } = version;
  const entry = {
    id: result,
    catalogueId,
    version: of,
    filters: filterTexts(filters),
    method: clusters.method,
  };
  await keepResult(statementsOn(client), entry, { ids, ...clusters.labels });
  await client.query("commit");
  const { labels: _labels, ...summary } = clusters;
  return summary;
});

type ProximityTask = Pick<DeclusterTask, "version" | "filters"> & {
  readonly options: FamilyOptions;
};

/** Tells how the distances of nearest neighbours are distributed. */
export const findProximities = workerTask(
  async ({ version, filters, options }: ProximityTask, alive) => {
    await using session = await openThreadSession("decluster");
    const { client } = session;
    const { table } = await readEventTable(client, { version, filters });
    return proximityDistribution(table, options, alive);
  },
);

type LabelledTask = {
  readonly result: string;
  readonly version: AnalysisSelection["version"];
  readonly role: ClusterRole;
};

type LabelledEnd = { readonly added: number; readonly bounds: Bounds };

const readRecord = createRecordReader(EVENT_COLUMN_NAMES);

/** The events of a role as the chunks of a catalogue's first revision. */
export const streamLabelled = workerStream(labelled, CHUNKS_AHEAD);

/** @throws Refusal GONE, NOT_FOUND where the catalogue is deleted */
async function requireThere(
  client: ClientBase,
  version: AnalysisSelection["version"],
  result: string,
) {
  const statements = statementsOn(client);
  await requirePresent(statements, version);
  if ((await findResult(statements, result, version.id)) !== null) return;
  throw new Refusal("GONE", "The result is not kept any more; decluster again");
}

async function* labelled({ version, ...labels }: LabelledTask): AsyncGenerator<Chunk, LabelledEnd> {
  await using session = await openThreadSession("decluster");
  const { client } = session;
  // What is there now is there to the end, whatever is dropped meanwhile.
  await client.query("begin isolation level repeatable read, read only");
  await requireThere(client, version, labels.result);
  const writer = createChunkWriter();
  for await (const rows of labelledEvents(client, version, labels)) {
    for (const row of rows) {
      const cluster = Number(row[EVENT_COLUMN_COUNT]);
      const record = readRecord(row);
      const extra = {
        ...record.extra,
        ...(cluster > 0 && { cluster_id: cluster }),
        is_mainshock: ROLE[labels.role] === ROLE.main,
      };
      const bulletin = readCopiedBulletin(row[EVENT_COLUMN_COUNT + 1] ?? null);
      // Members are a merge's own: some of its sources may be hidden from who reads this catalogue.
      const event = { ...record, extra, source_events: null };
      const chunk = writer.add(event, bulletin && packBulletin(bulletin));
      if (chunk !== null) yield { chunk };
    }
  }
  const chunk = writer.finish();
  if (chunk !== null) yield { chunk };
  return { added: writer.counts().added, bounds: writer.bounds() };
}
