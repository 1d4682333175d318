import { expect, onTestFinished, test } from "vitest";
import { statementsOn } from "#infra/postgres/statements.ts";
import { cataloguesProjection } from "#projections/catalogues/catalogues-projection.ts";
import { catalogueById } from "#projections/queries/catalogues/catalogue-queries.ts";
import { readPage } from "#projections/queries/events/event-pages.ts";
import { openEventReads } from "#projections/queries/events/event-reads.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { readDefinitions } from "#projections/rebuild/table-definitions.ts";
import { holds } from "#projections/rebuild/verify-projection.ts";
import { updateCatalogueCommand } from "#services/commands/catalogues/change-catalogue.ts";
import { silentLogger } from "../../support/logger.ts";
import { createdFrom, generatedRecords } from "../catalogues/catalogue-scene.ts";
import { makeHistory } from "../catalogues/make-history.ts";
import { dumpReadModel } from "../catalogues/read-model.ts";
import { newCommand, useCatalogues } from "../catalogues/use-catalogues.ts";
import { useRebuild } from "./use-rebuild.ts";

/** A reader that holds a table for as long as it likes. */
const READING = `begin; set local idle_in_transaction_session_timeout to 0;
  select count(*) from read_model.seismic_events`;

const catalogues = useCatalogues();
const scene = useRebuild(catalogues);

const definitions = () => readDefinitions(statementsOn(scene.pool), cataloguesProjection.tables);

/** Numbers by which PostgreSQL knows the live tables: others after a switch. */
async function liveTables(): Promise<unknown[]> {
  const { rows } = await scene.pool.query(
    `select oid::int as oid from pg_class where relnamespace = 'read_model'::regnamespace
     and relname = any($1) order by relname`,
    [cataloguesProjection.tables.map(({ name }) => name)],
  );
  return rows;
}

async function schemasAside(): Promise<unknown[]> {
  const { rows } = await scene.pool.query(
    "select nspname from pg_namespace where nspname ~ '^(rebuild|verify)_'",
  );
  return rows;
}

test("a rebuilt read model takes the place of the live one, the same in every row and definition", async () => {
  await makeHistory(catalogues);
  const before = {
    rows: await dumpReadModel(scene.pool),
    definitions: await definitions(),
    tables: await liveTables(),
  };
  await scene.rebuild();
  expect(await liveTables()).not.toEqual(before.tables);
  expect(await definitions()).toEqual(before.definitions);
  expect(await dumpReadModel(scene.pool)).toEqual(before.rows);
  expect(await schemasAside()).toEqual([]);
});

test("commands and reads go on throughout, and what was told is shown", async () => {
  const { context } = catalogues;
  const tables = await liveTables();
  const ended = new AbortController();
  const busy = (async () => {
    const id = await createdFrom(context, generatedRecords(3, 500));
    let changes = 0;
    for (; changes < 3 || !ended.signal.aborted; changes += 1) {
      const name = `change ${changes}`;
      await updateCatalogueCommand(context, newCommand(), id, { name }, null);
      expect(await catalogueById(context.pool, id, SERVICE)).toMatchObject({
        name,
        event_count: 500,
      });
      const added = await createdFrom(context, generatedRecords(changes, 100));
      expect(await catalogueById(context.pool, added, SERVICE)).toMatchObject({ event_count: 100 });
    }
    return changes;
  })();
  await scene.rebuild().finally(() => ended.abort());
  expect(await busy).toBeGreaterThanOrEqual(3);
  expect(await liveTables()).not.toEqual(tables);
  const verification = await scene.verify();
  expect(verification.tables.flatMap(({ differences }) => differences)).toEqual([]);
  expect(holds(verification)).toBe(true);
});

test("lookups and pages that were prepared before a rebuild read the rebuilt tables", async () => {
  const id = await createdFrom(catalogues.context, generatedRecords(5, 20));
  const reads = openEventReads(catalogues.databaseUrl, silentLogger());
  onTestFinished(reads.close);
  const page = async () => {
    const request = { catalogueId: id, reader: SERVICE };
    const version = await resolveVersion(reads.prepared, request);
    expect(await resolveVersion(reads.prepared, { ...request, asOf: "1" })).toEqual(version);
    const selection = { version, order: "time", filters: {} } as const;
    const { json, count } = await readPage(reads, selection, { offset: 0 }, 10);
    return { count, text: json.join(",") };
  };
  const before = await page();
  expect(before.count).toBe(10);
  const tables = await liveTables();
  await scene.rebuild();
  expect(await liveTables()).not.toEqual(tables);
  expect(await page()).toEqual(before);
});

test.each(["filling", "indexing", "switching"])(
  "a rebuild that is cut off when it is %s leaves the live tables as they are",
  async (phase) => {
    await createdFrom(catalogues.context, generatedRecords(6, 10));
    const before = { rows: await dumpReadModel(scene.pool), tables: await liveTables() };
    const cutting = new AbortController();
    const reached = (now: string) => {
      if (now === phase) cutting.abort(new Error("cut off"));
    };
    await expect(scene.rebuild(reached, cutting.signal)).rejects.toThrow("cut off");
    expect(await liveTables()).toEqual(before.tables);
    expect(await dumpReadModel(scene.pool)).toEqual(before.rows);
  },
);

test("what a killed rebuild has left behind does not hinder the next", async () => {
  await scene.pool.query("create schema rebuild_catalogues create table catalogues (key text)");
  await scene.rebuild();
  expect(holds(await scene.verify())).toBe(true);
  expect(await schemasAside()).toEqual([]);
});

test("a reader that holds the tables is waited for, and others are served meanwhile", async () => {
  const { context } = catalogues;
  const id = await createdFrom(context, generatedRecords(5, 10));
  const tables = await liveTables();
  const reader = await catalogues.projectorPool.connect();
  onTestFinished(() => reader.release());
  await reader.query(READING);
  const phases: string[] = [];
  const rebuilding = scene.rebuild((phase) => phases.push(phase));
  await expect.poll(() => phases.at(-1), { timeout: 60_000 }).toBe("waiting for readers");
  expect(await catalogueById(context.pool, id, SERVICE)).toMatchObject({ event_count: 10 });
  expect(await liveTables()).toEqual(tables);
  await reader.query("commit");
  await rebuilding;
  expect(await liveTables()).not.toEqual(tables);
});

test("tables that a migration altered meanwhile are not replaced by the old ones", async () => {
  const tables = await liveTables();
  const reader = await catalogues.projectorPool.connect();
  onTestFinished(() => reader.release());
  await reader.query(READING);
  const phases: string[] = [];
  const rebuilding = scene.rebuild((phase) => phases.push(phase));
  rebuilding.catch(() => undefined);
  await expect.poll(() => phases.at(-1), { timeout: 60_000 }).toBe("waiting for readers");
  await reader.query("create index later on read_model.catalogues (name); commit");
  await expect(rebuilding).rejects.toThrow("altered meanwhile");
  expect(await liveTables()).toEqual(tables);
  await scene.pool.query("drop index read_model.later");
});

test("a rebuild that could not apply an event leaves the live tables as they are", async () => {
  const id = await createdFrom(catalogues.context, generatedRecords(7, 10));
  const before = await dumpReadModel(scene.pool);
  await scene.pool.query(
    `alter table read_model.catalogues add constraint unlucky check (id <> '${id}') not valid`,
  );
  onTestFinished(async () => {
    await scene.pool.query("alter table read_model.catalogues drop constraint unlucky");
  });
  await expect(scene.rebuild()).rejects.toThrow("events of catalogues could not be applied");
  expect(await dumpReadModel(scene.pool)).toEqual(before);
  expect((await scene.verify()).parked).toEqual({ live: 0, rebuilt: expect.any(Number) });
});
