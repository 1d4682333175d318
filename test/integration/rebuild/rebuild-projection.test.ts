import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { CHUNK_EVENT } from "#contracts/events/catalogues.ts";
import { bulletinStream, catalogueStream, revisionStream } from "#contracts/events/log.ts";
import { createPostgresEventLog } from "#infra/log/postgres-event-log.ts";
import { migrate } from "#infra/postgres/migrations/migrate.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import { catalogueById } from "#projections/read/catalogues.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import { openEventReads, readPage } from "#projections/read/walk.ts";
import {
  holds,
  readDefinitions,
  type Verification,
  verifyProjection,
} from "#projections/rebuild/rebuild.ts";
import { updateCatalogueCommand } from "#services/catalogues/commands.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { createTestDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { silentLogger } from "../../support/logger.ts";
import { migrationsUpTo } from "../../support/migrations-up-to.ts";
import { createOlderInstallation } from "../../support/older-installation.ts";
import { createdWithBulletins, makeHistory } from "../catalogues/make-history.ts";
import { dumpReadModel } from "../catalogues/read-model.ts";
import { useRebuild } from "./use-rebuild.ts";

/** A reader that holds a table for as long as it likes. */
const READING = `begin; set local idle_in_transaction_session_timeout to 0;
  select count(*) from read_model.seismic_events`;

const catalogues = useCatalogues();
const scene = useRebuild(catalogues);
/** Of few rows, for what is rebuilt again and again. */
const few = useCatalogues();
const small = useRebuild(few);

const definitions = () => readDefinitions(statementsOn(scene.pool), cataloguesProjection.tables);

async function rowsOf<T extends object>(
  query: string,
  values: unknown[] = [],
  { pool } = small,
): Promise<T[]> {
  return (await pool.query<T>(query, values)).rows;
}

/** Numbers by which PostgreSQL knows the live tables: others after a switch. */
const liveTables = (of = small) =>
  rowsOf(
    `select oid::int as oid from pg_class where relnamespace = 'read_model'::regnamespace
     and relname = any($1) order by relname`,
    [cataloguesProjection.tables.map(({ name }) => name)],
    of,
  );

const table = ({ tables }: Verification, name: string) =>
  tables.find((one) => one.table === name) ?? expect.fail(`no table ${name}`);

test("a rebuilt read model takes the place of the live one, the same in every row, definition and prepared read, and verifies", async () => {
  await makeHistory(catalogues);
  const id = await createdFrom(catalogues.context, generatedRecords(5, 20));
  const reads = openEventReads(catalogues.databaseUrl, silentLogger());
  onTestFinished(reads.close);
  const page = async () => {
    const request = { catalogueId: id, reader: SERVICE };
    const version = await resolveVersion(reads.prepared, request);
    const named = await resolveVersion(reads.prepared, { ...request, asOf: "1" });
    // The latest comes with what else the gate tells of its catalogue.
    expect(version).toMatchObject(named);
    const selection = { version, order: "time", filters: {} } as const;
    const { json, count } = await readPage(reads, selection, { offset: 0 }, 10);
    return { count, text: json.join(",") };
  };
  const state = async () => ({
    rows: await dumpReadModel(scene.pool),
    definitions: await definitions(),
    page: await page(),
  });
  const [before, tables] = [await state(), await liveTables(scene)];
  expect(before.page.count).toBe(10);
  expect(before.rows["imports"]).toHaveLength(3);
  expect(before.rows["bulletins"]?.length).toBeGreaterThan(5);
  // What a killed one has left behind does not hinder the next.
  await scene.pool.query("create schema rebuild_catalogues create table catalogues (key text)");
  await scene.rebuild();
  expect(await liveTables(scene)).not.toEqual(tables);
  expect(await state()).toEqual(before);
  const aside = "select nspname from pg_namespace where nspname ~ '^(rebuild|verify)_'";
  expect(await rowsOf(aside, [], scene)).toEqual([]);

  const verification = await scene.verify();
  expect(verification).toMatchObject({ parked: { live: 0, rebuilt: 0 }, revisions: { wrong: [] } });
  expect(verification.revisions.checked).toBeGreaterThan(10);
  const { live, rebuilt, differing } = table(verification, "seismic_events");
  expect(live).toEqual(rebuilt);
  expect(live.rows).toBeGreaterThan(1_000);
  expect(live.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(differing).toBe(0);
  expect(holds(verification)).toBe(true);
});

test("commands and reads go on throughout, also while a reader that holds the tables is waited for, and what was told is shown", async () => {
  const { context } = few;
  const tables = await liveTables();
  const reader = await few.projectorPool.connect();
  onTestFinished(() => reader.release());
  await reader.query(READING);
  const ended = new AbortController();
  const busy = (async () => {
    const id = await createdFrom(context, generatedRecords(3, 50));
    for (let changes = 0; changes < 3 || !ended.signal.aborted; changes += 1) {
      const name = `change ${changes}`;
      await updateCatalogueCommand(context, newCommand(), id, { name }, null);
      const shown = await catalogueById(context.pool, id, SERVICE);
      expect(shown).toMatchObject({ name, event_count: 50 });
      const added = await createdFrom(context, generatedRecords(changes, 20));
      expect(await catalogueById(context.pool, added, SERVICE)).toMatchObject({ event_count: 20 });
    }
  })();
  const phases: string[] = [];
  const rebuilding = small.rebuild((phase) => phases.push(phase)).finally(() => ended.abort());
  await expect.poll(() => phases.at(-1), { timeout: 60_000 }).toBe("waiting for readers");
  expect(await liveTables()).toEqual(tables);
  await reader.query("commit");
  await rebuilding;
  await busy;
  expect(await liveTables()).not.toEqual(tables);
  const verification = await small.verify();
  expect(verification.tables.flatMap(({ differences }) => differences)).toEqual([]);
  expect(holds(verification)).toBe(true);
});

test("a rebuild that is cut off, cannot apply an event, or finds its tables altered meanwhile leaves the live ones as they are", async () => {
  const id = await createdFrom(few.context, generatedRecords(6, 10));
  const before = { rows: await dumpReadModel(small.pool), tables: await liveTables() };
  const untouched = async () => {
    expect(await liveTables()).toEqual(before.tables);
    expect(await dumpReadModel(small.pool)).toEqual(before.rows);
  };
  for (const phase of ["filling", "indexing", "switching"]) {
    const cutting = new AbortController();
    const reached = (now: string) => {
      if (now === phase) cutting.abort(new Error("cut off"));
    };
    await expect(small.rebuild(reached, cutting.signal), phase).rejects.toThrow("cut off");
    await untouched();
  }
  const alter = (what: string) => rowsOf(`alter table read_model.catalogues ${what}`);
  await alter(`add constraint unlucky check (id <> '${id}') not valid`);
  await expect(small.rebuild()).rejects.toThrow("events of catalogues could not be applied");
  await untouched();
  expect((await small.verify()).parked).toEqual({ live: 0, rebuilt: expect.any(Number) });
  await alter("drop constraint unlucky");

  const reader = await few.projectorPool.connect();
  onTestFinished(() => reader.release());
  await reader.query(READING);
  const phases: string[] = [];
  const rebuilding = small.rebuild((phase) => phases.push(phase));
  rebuilding.catch(() => undefined);
  await expect.poll(() => phases.at(-1), { timeout: 60_000 }).toBe("waiting for readers");
  await reader.query("create index later on read_model.catalogues (name); commit");
  await expect(rebuilding).rejects.toThrow("altered meanwhile");
  await untouched();
  await rowsOf("drop index read_model.later");
});

test("what was changed by hand is found and named, in rows and in the log; a rebuild repairs the rows", async () => {
  await createdFrom(few.context, generatedRecords(4, 20));
  const [changed] = await rowsOf<{ key: number; id: string }>(
    `update read_model.seismic_events e set depth = coalesce(depth, 0) + 0.001
     where ctid = (select ctid from read_model.seismic_events where depth is not null limit 1)
     returning catalogue_key as key, event_id as id`,
  );
  await rowsOf(
    `insert into read_model.catalogue_versions
     select 999999, version, created_at, cause, actor, added, updated, removed, event_count, content_hash
     from read_model.catalogue_versions limit 1`,
  );
  await rowsOf(
    `delete from read_model.catalogue_versions where (catalogue_key, version) =
       (select catalogue_key, version from read_model.catalogue_versions order by 1 limit 1)`,
  );
  const wrong = await small.verify();
  expect(holds(wrong)).toBe(false);
  const { differences, differing, live, rebuilt } = table(wrong, "seismic_events");
  expect(differing).toBe(1);
  expect(live.hash).not.toBe(rebuilt.hash);
  const key = expect.stringContaining(`${changed?.key}/${changed?.id}/`);
  expect(differences).toEqual([{ key, kind: "different", columns: ["depth"] }]);
  const versions = table(wrong, "catalogue_versions").differences;
  expect(versions).toHaveLength(2);
  expect(versions).toContainEqual(expect.objectContaining({ kind: "missing" }));
  const unexpected = { key: expect.stringMatching(/^999999\//), kind: "unexpected" };
  expect(versions).toContainEqual(expect.objectContaining(unexpected));
  await small.rebuild();
  expect(holds(await small.verify())).toBe(true);

  const { context } = few;
  const exchanged = await createdFrom(context, generatedRecords(1, 10));
  const other = await createdFrom(context, generatedRecords(2, 10));
  const chunkOf = "select payload from event_log.events where type = $2 and stream = $3";
  await rowsOf(
    `update event_log.events set payload = (${chunkOf}) where type = $2 and stream = $1`,
    [revisionStream(exchanged, 1), CHUNK_EVENT, revisionStream(other, 1)],
  );
  const flipped = await createdWithBulletins(context);
  await rowsOf(
    `update event_log.events set payload =
       set_byte(payload, length(payload) - 1, get_byte(payload, length(payload) - 1) # 1)
     where stream = $1 and revision = 0`,
    [bulletinStream(flipped, 1)],
  );
  const verification = await small.verify();
  expect(verification.revisions.wrong).toMatchObject([
    { catalogueId: exchanged, revision: 1 },
    { catalogueId: flipped, revision: 1 },
  ]);
  expect(holds(verification)).toBe(false);
});

test("every table of the read model belongs to one projection, which names its primary key and indexes that are there", async () => {
  const all = ALL_PROJECTIONS.flatMap(({ tables }) => tables);
  const keys = await rowsOf(
    `select t.relname as name, array_agg(a.attname::text order by k.place) as key
     from pg_class t
     join pg_index i on i.indrelid = t.oid and i.indisprimary
     cross join unnest(i.indkey) with ordinality k (attnum, place)
     join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
     where t.relnamespace = 'read_model'::regnamespace and t.relname <> all($1)
     group by t.relname order by t.relname`,
    // They belong to all projections, by rows.
    [["checkpoints", "parked_events"]],
  );
  const named = all.map(({ name, key }) => ({ name, key }));
  expect(named.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(keys);
  const foundBy = all.flatMap((one) => one.foundBy ?? []);
  expect(foundBy.length).toBeGreaterThan(0);
  const indexes = await rowsOf<{ name: string }>(
    "select indexname as name from pg_indexes where schemaname = 'read_model'",
  );
  expect(indexes.map(({ name }) => name)).toEqual(expect.arrayContaining(foundBy));
});

test("read models of an installation with 0012 migrations are what the log says after all others", async () => {
  const database = await createOlderInstallation("0012");
  await migrate(database.url);
  const log = await createPostgresEventLog(database.url);
  const pool = createPgPool(database.url, { applicationName: "verify", statementTimeoutMs: 0 });
  const { rows } = await pool.query(
    "select name, public_from, merge_config->>'linkage' as linkage from read_model.catalogues order by key",
  );
  const { signal } = new AbortController();
  const verification = await verifyProjection({ log, pool, signal }, cataloguesProjection);
  await pool.end();
  await log.close();
  await database.drop();
  expect(verification.tables.flatMap(({ differences }) => differences)).toEqual([]);
  expect(verification.tables[0]?.live.rows).toBe(5);
  expect(holds(verification)).toBe(true);
  // What guests could read they go on reading, and merges are told as they were done.
  expect(rows).toEqual([
    { name: "public from the start", public_from: 1, linkage: null },
    { name: "made public", public_from: 1, linkage: null },
    { name: "private again", public_from: null, linkage: null },
    { name: "private", public_from: null, linkage: null },
    { name: "merged", public_from: null, linkage: "complete" },
  ]);
});

test("shares of an installation with 0054 migrations are told of whoever made them", async () => {
  const database = await createTestDatabase({ empty: true });
  await migrate(database.url, { directory: await migrationsUpTo("0054") });
  const [catalogue, share] = [randomUUID(), randomUUID()];
  const made = await withClient(database.url, async (client) => {
    await client.query(
      `insert into event_log.events (stream, revision, event_id, type, data, metadata, bytes)
       values ($1, 0, $2, 'CatalogueShared', $3, '{"actor": "user_1_maker"}', 1)`,
      [catalogueStream(catalogue), randomUUID(), JSON.stringify({ shareId: share })],
    );
    await client.query(
      `insert into read_model.shares (id, catalogue_id, secret_hash, created_at)
       values ($1, $2, 'hash', now())`,
      [share, catalogue],
    );
    await migrate(database.url);
    return (await client.query("select made_by from read_model.shares")).rows;
  });
  await database.drop();
  expect(made).toEqual([{ made_by: "user_1_maker" }]);
});
