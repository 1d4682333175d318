import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { cataloguesProjection } from "#projections/catalogues/catalogues-projection.ts";
import { rebuildProjection } from "#projections/rebuild/rebuild-projection.ts";
import { serverPid, startForTest } from "../../support/embedded-server.ts";
import { preparedDataDir } from "../../support/prepared-data-dir.ts";

/** Dead rows of hundreds of pages, vacuumed so slowly that it would take minutes. */
const SLOW_VACUUM = `
  alter table read_model.seismic_events set (autovacuum_vacuum_threshold = 0,
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_limit = 1,
    autovacuum_vacuum_cost_delay = 100);
  insert into read_model.seismic_events
      (time, latitude, longitude, catalogue_key, revision_from, time_digits, event_id)
    select now(), 0, 0, 0, 1, 0, gen_random_uuid() from generate_series(1, 50000);
  delete from read_model.seismic_events`;
const VACUUMS = `select pid from pg_locks where mode = 'ShareUpdateExclusiveLock' and granted
  and relation = 'read_model.seismic_events'::regclass`;

/** A server of its own that looks every second for what is to be vacuumed. */
async function startServer(): Promise<{ url: string; client: Client }> {
  const dataDir = await preparedDataDir();
  const { url } = await startForTest(dataDir);
  const settings = join(dataDir, "postgres", "postgresql.auto.conf");
  await appendFile(settings, "autovacuum_naptime = 1\n");
  process.kill(await serverPid(dataDir), "SIGHUP");
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return { url, client };
}

test("an autovacuum of a live table gives way to the switch", async () => {
  const { url, client } = await startServer();
  const log = await createPostgresEventLog(url);
  onTestFinished(() => log.close());
  const pool = createPgPool(url, { applicationName: "rebuild", statementTimeoutMs: 0 });
  onTestFinished(() => pool.end());
  await client.query(SLOW_VACUUM);
  const vacuums = async () => (await client.query(VACUUMS)).rows;
  await expect.poll(vacuums, { timeout: 60_000 }).toHaveLength(1);
  const phases: string[] = [];
  const { signal } = new AbortController();
  await rebuildProjection(
    { log, pool, signal, onPhase: (phase) => phases.push(phase) },
    cataloguesProjection,
  );
  expect(phases).toEqual(["filling", "indexing", "switching"]);
}, 120_000);
