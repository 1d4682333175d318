import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createPostgresEventLog } from "#infra/log/postgres-event-log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import { catalogueById } from "#projections/read/catalogues.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { holds, rebuildProjection } from "#projections/rebuild/rebuild.ts";
import { updateCatalogueCommand } from "#services/catalogues/commands.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { serverPid, startForTest } from "../../support/embedded-server.ts";
import { preparedDataDir } from "../../support/prepared-data-dir.ts";
import { dumpReadModel } from "../catalogues/read-model.ts";
import { useRebuild } from "./use-rebuild.ts";

const MAIN = fileURLToPath(new URL("../../../services/cli/main.ts", import.meta.url));

/** A reader that holds a table for as long as it likes. */
const READING = `begin; set local idle_in_transaction_session_timeout to 0;
  select count(*) from read_model.seismic_events`;

const catalogues = useCatalogues();
const scene = useRebuild(catalogues);

/** The command in a process of its own, killed when it says that it is at `phase`. */
async function rebuildKilledAt(phase: string): Promise<void> {
  const child = spawn(process.execPath, [MAIN, "rebuild", "catalogues"], {
    env: { PATH: process.env["PATH"], DATABASE_URL: catalogues.databaseUrl },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close");
  for await (const line of createInterface(child.stderr)) {
    if (line.endsWith(phase)) child.kill("SIGKILL");
  }
  await ended;
  expect(child.signalCode).toBe("SIGKILL");
}

test.each(["filling", "indexing", "waiting for readers"])(
  "a rebuild killed when it is %s leaves the live tables serving, and the next begins again",
  async (phase) => {
    const { context } = catalogues;
    const id = await createdFrom(context, generatedRecords(1, 5_000));
    const before = await dumpReadModel(scene.pool);
    const reader = await catalogues.projectorPool.connect();
    onTestFinished(() => reader.release());
    // It keeps the switch from being done before the process is killed.
    await reader.query(READING);
    await rebuildKilledAt(phase);
    await reader.query("commit");
    expect(await dumpReadModel(scene.pool)).toEqual(before);
    await updateCatalogueCommand(context, newCommand(), id, { name: phase }, null);
    expect(await catalogueById(context.pool, id, SERVICE)).toMatchObject({ name: phase });
    await scene.rebuild();
    expect(holds(await scene.verify())).toBe(true);
  },
);

test("an autovacuum of a live table gives way to the switch", async () => {
  // A server of its own that looks every second for what is to be vacuumed.
  const dataDir = await preparedDataDir();
  const { url } = await startForTest(dataDir);
  await appendFile(join(dataDir, "postgres", "postgresql.auto.conf"), "autovacuum_naptime = 1\n");
  process.kill(await serverPid(dataDir), "SIGHUP");
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const log = await createPostgresEventLog(url);
  onTestFinished(() => log.close());
  const pool = createPgPool(url, { applicationName: "rebuild", statementTimeoutMs: 0 });
  onTestFinished(() => pool.end());
  // Dead rows of hundreds of pages, vacuumed so slowly that it would take minutes.
  await client.query(`
    alter table read_model.seismic_events set (autovacuum_vacuum_threshold = 0,
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_limit = 1,
      autovacuum_vacuum_cost_delay = 100);
    insert into read_model.seismic_events
        (time, latitude, longitude, catalogue_key, revision_from, time_digits, event_id)
      select now(), 0, 0, 0, 1, 0, gen_random_uuid() from generate_series(1, 20000);
    delete from read_model.seismic_events`);
  const vacuums = `select pid from pg_locks where mode = 'ShareUpdateExclusiveLock' and granted
    and relation = 'read_model.seismic_events'::regclass`;
  await expect
    .poll(async () => (await client.query(vacuums)).rows, { timeout: 60_000 })
    .toHaveLength(1);
  const phases: string[] = [];
  const onPhase = (phase: string) => void phases.push(phase);
  const { signal } = new AbortController();
  await rebuildProjection({ log, pool, signal, onPhase }, cataloguesProjection);
  expect(phases).toEqual(["filling", "indexing", "switching"]);
});
