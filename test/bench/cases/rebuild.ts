import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import type { Client } from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { statementsOn } from "#infra/postgres/statements.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import { readDefinitions } from "#projections/rebuild/rebuild.ts";
import {
  type BenchService,
  catalogueOf,
  createBy,
  exportAll,
  remove,
  startBenchService,
} from "../../support/bench-service.ts";
import { catalogueBody } from "../../support/generate-catalogue.ts";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";
import { beside, compare, medians, type Result, secondsOf } from "../measure.ts";
import { runCli } from "../yardsticks.ts";

const CATALOGUE_EVENTS = 100_000;
const TARGET = 2;
const READ_PAUSE_MS = 50;

/**
 * `npm run rebuild -- catalogues` beside the live service, with its start, against a COPY of the same
 * rows into a bare table and then building the same keys and indexes. Reads are asked beside both,
 * and every one must be answered with all events.
 */
export async function benchRebuild(count: number, repetitions: number): Promise<Result[]> {
  // Of its own: a rebuild reads the whole log, that of other cases too.
  const bench = await startBenchService();
  try {
    return await rebuildBeside(bench, count, repetitions);
  } finally {
    await bench.close();
  }
}

async function rebuildBeside(
  bench: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const ids: string[] = [];
  for (let i = 0; i < count / CATALOGUE_EVENTS; i += 1) {
    const body = Buffer.from(catalogueBody(`bench ${i}`, i, CATALOGUE_EVENTS));
    ids.push(await createBy(bench.client, [body]));
  }
  const rows = await copyOut(bench.database);
  const variables = { DATABASE_URL: bench.databaseUrl };
  let slowest = 0;
  const comparison = await compare(
    repetitions,
    async () => {
      const reading = readThroughout(bench, ids);
      const ours = await secondsOf(() => runCli(variables, "rebuild", cataloguesProjection.name));
      slowest = Math.max(slowest, reading.slowest());
      const yardstick = await secondsOf(() => copyAndIndex(bench.database, rows));
      await reading.stop();
      return [ours, yardstick];
    },
    0,
  );
  console.info(`slowest read beside a rebuild: ${slowest.toFixed(2)} s`);
  for (const id of ids) await remove(bench.client, id);
  return [
    beside(
      ["rebuild beside the live service", `${count} events`, "s"],
      ["COPY of the same rows, then the same indexes", TARGET],
      comparison,
    ),
  ];
}

/** Asks for pages of the catalogues in turn, some twenty a second; `slowest` is in seconds. */
function readThroughout({ client }: BenchService, ids: readonly string[]) {
  let stopped = false;
  let slowest = 0;
  const reading = (async () => {
    for (let i = 0; !stopped; i += 1) {
      const path = `/api/catalogues/${ids[i % ids.length]}/events?pageSize=100`;
      const started = performance.now();
      const { status, body } = await client.get<{ total: number; events: unknown[] }>(path);
      slowest = Math.max(slowest, (performance.now() - started) / 1_000);
      if (status !== 200 || body.total !== CATALOGUE_EVENTS || body.events.length !== 100) {
        throw new Error(`a read beside the rebuild answered ${status}`);
      }
      await setTimeout(READ_PAUSE_MS);
    }
  })();
  reading.catch(() => undefined);
  return {
    slowest: () => slowest,
    stop: async () => {
      stopped = true;
      await reading;
    },
  };
}

async function copyOut(database: Client): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  const statement = "copy read_model.seismic_events to stdout (format binary)";
  for await (const chunk of database.query(copyTo(statement))) chunks.push(chunk);
  return chunks;
}

async function copyAndIndex(database: Client, rows: readonly Buffer[]): Promise<void> {
  const [table] = await readDefinitions(
    statementsOn(database),
    cataloguesProjection.tables.filter(({ name }) => name === "seismic_events"),
  );
  if (!table) throw new Error("there is no table of seismic events");
  await database.query("create schema yardstick");
  await database.query("create table yardstick.seismic_events (like read_model.seismic_events)");
  const copy = database.query(copyFrom("copy yardstick.seismic_events from stdin (format binary)"));
  await pipeline(Readable.from(rows), copy);
  for (const constraint of table.constraints) {
    await database.query(`alter table yardstick.seismic_events ${constraint}`);
  }
  for (const { text } of [...table.writeIndexes, ...table.indexes]) {
    await database.query(text.replace(" ON read_model.", " ON yardstick."));
  }
  await database.query("drop schema yardstick cascade");
}

const BACKUP_TARGET = 2;
const RESTORE_TARGET = 3;

/**
 * A backup beside the running service against an export of all events as JSON, and its restore to an empty
 * DATA_DIR, which builds the read models and verifies them, against a rebuild of the same.
 */
export async function benchBackup(count: number): Promise<Result[]> {
  // Of its own: a backup holds the whole database, the catalogues of other cases too.
  const bench = await startBenchService();
  const directory = await createTemporaryDirectory();
  try {
    return await backUpAndRestore(bench, directory.path, count);
  } finally {
    await directory.remove();
    await bench.close();
  }
}

async function backUpAndRestore(
  { client, databaseUrl }: BenchService,
  directory: string,
  count: number,
): Promise<Result[]> {
  const id = await catalogueOf(client, count);
  const exported = await secondsOf(() => exportAll(client, id, "json", count));
  const file = join(directory, "backup");
  const backedUp = await secondsOf(() => runCli({ DATABASE_URL: databaseUrl }, "backup", file));
  const restored = { DATA_DIR: join(directory, "restored") };
  const restoring = await secondsOf(() => runCli(restored, "restore", file));
  const rebuilding = await secondsOf(() => runCli(restored, "rebuild"));
  const size = `${count} events`;
  return [
    beside(
      ["backup", size, "s"],
      ["export as JSON", BACKUP_TARGET],
      medians([backedUp], [exported]),
    ),
    beside(["restore", size, "s"], ["rebuild", RESTORE_TARGET], medians([restoring], [rebuilding])),
  ];
}
