/** Entry points of the threads that decluster: a million events must not block other requests. */
import type { ClientBase } from "pg";
import type { ClusterRole, DeclusterMethod } from "#contracts/decluster.ts";
import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import { Refusal } from "#contracts/errors.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { filterTexts } from "#contracts/query/filters-among.ts";
import { packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { createChunkWriter } from "#infra/log/chunks.ts";
import { openWatchedSession } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { findResult, keepResult } from "#infra/stores/declustering.ts";
import { workerStream, workerTask } from "#infra/threads/task.ts";
import { eventPositions, labelledEvents, POSITION } from "#projections/read/analytics/sequences.ts";
import type { AnalysisSelection } from "#projections/read/conditions.ts";
import { readCopiedBulletin } from "#projections/read/copied-rows.ts";
import {
  createRecordReader,
  EVENT_COLUMN_COUNT,
  EVENT_COLUMN_NAMES,
  requirePresent,
  type VersionRows,
} from "#projections/read/versions.ts";
import { CHUNKS_AHEAD, type Chunk } from "#services/commands/changes/chunks-of-thread.ts";
import { type Declustered, decluster } from "#services/domain/analytics/declustering/decluster.ts";
import { type EventTable, ROLE } from "#services/domain/analytics/declustering/event-table.ts";
import {
  type FamilyOptions,
  proximityDistribution,
} from "#services/domain/analytics/declustering/nearest-neighbour.ts";

/** The events of a selection that have a magnitude, with their ids, by time, then id. */
async function readEventTable(
  client: ClientBase,
  selection: AnalysisSelection,
): Promise<{ readonly ids: readonly string[]; readonly table: EventTable }> {
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

export type DeclusterTask = {
  readonly databaseUrl: string;
  /** Id of the result that is kept. */
  readonly result: string;
  readonly version: VersionRows;
  readonly filters: EventFilters;
  readonly method: DeclusterMethod;
};

/** Asked of the caller while it works, for its progress. */
export type DeclusterProgress = { readonly done: number; readonly total: number };

/** Finds the clusters, keeps their labels and tells what it has found. */
export const findClusters = workerStream(async function* (
  { databaseUrl, result, version, filters, method }: DeclusterTask,
  { alive, call },
): AsyncGenerator<never, Omit<Declustered, "labels">> {
  await using session = await openWatchedSession(databaseUrl, "decluster");
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

export type ProximityTask = Pick<DeclusterTask, "databaseUrl" | "version" | "filters"> & {
  readonly options: FamilyOptions;
};

/** Tells how the distances of nearest neighbours are distributed. */
export const findProximities = workerTask(
  async ({ databaseUrl, version, filters, options }: ProximityTask, alive) => {
    await using session = await openWatchedSession(databaseUrl, "decluster");
    const { client } = session;
    const { table } = await readEventTable(client, { version, filters });
    return proximityDistribution(table, options, alive);
  },
);

export type LabelledTask = {
  readonly databaseUrl: string;
  readonly result: string;
  readonly version: VersionRows;
  readonly role: ClusterRole;
};

export type LabelledEnd = { readonly added: number; readonly bounds: Bounds };

/** The events of a role as the chunks of a catalogue's first revision. */
export const streamLabelled = workerStream(labelled, CHUNKS_AHEAD);

/** @throws Refusal GONE, NOT_FOUND where the catalogue is deleted */
async function requireThere(client: ClientBase, version: VersionRows, result: string) {
  const statements = statementsOn(client);
  await requirePresent(statements, version);
  if ((await findResult(statements, result, version.id)) !== null) return;
  throw new Refusal("GONE", "The result is not kept any more; decluster again");
}

const readRecord = createRecordReader(EVENT_COLUMN_NAMES);

async function* labelled({
  databaseUrl,
  version,
  ...labels
}: LabelledTask): AsyncGenerator<Chunk, LabelledEnd> {
  await using session = await openWatchedSession(databaseUrl, "decluster");
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
