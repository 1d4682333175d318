import { afterEach, expect, test } from "vitest";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { cataloguesProjection } from "#projections/catalogues/catalogues-projection.ts";
import { retryParkedEvents } from "#projections/engine/retry-parked-events.ts";
import { catalogueById } from "#projections/queries/catalogues/catalogue-queries.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { updateCatalogueCommand } from "#services/commands/catalogues/change-catalogue.ts";
import { addRecords } from "../catalogues/additions.ts";
import { createdFrom, generatedRecords } from "../catalogues/catalogue-scene.ts";
import { dumpReadModel, rebuildReadModel } from "../catalogues/read-model.ts";
import { newCommand, useCatalogues } from "../catalogues/use-catalogues.ts";

const catalogues = useCatalogues();

const POISON: SeismicEventRecord = {
  ...emptyRecord({ time: "2016-11-13T11:02:56Z", latitude: -42.7, longitude: 173 }),
  source_id: "poison",
  magnitude: 7.8,
};

/** A fault of the read model, not of the log: one event has no place in it until it is repaired. */
const breakReadModel = () =>
  catalogues.projectorPool.query(`alter table read_model.seismic_events
    add constraint no_poison check (source_id <> 'poison') not valid`);

const repairReadModel = () =>
  catalogues.projectorPool.query(
    "alter table read_model.seismic_events drop constraint if exists no_poison",
  );

afterEach(repairReadModel);

const add = (id: string, records: readonly SeismicEventRecord[]) =>
  addRecords(catalogues, id, records, { updateExisting: true });

const rename = (id: string, name: string) =>
  updateCatalogueCommand(catalogues.context, newCommand(), id, { name }, null);

const shown = (id: string) => catalogueById(catalogues.context.pool, id, SERVICE);

const retry = (id: string) => {
  const { projectorPool, context } = catalogues;
  return retryParkedEvents(projectorPool, context.log, cataloguesProjection, id);
};

async function parkedTypes(id: string): Promise<string[]> {
  const { rows } = await catalogues.projectorPool.query<{ type: string }>(
    "select type from read_model.parked_events where subject = $1 order by position",
    [id],
  );
  return rows.map(({ type }) => type);
}

/** A catalogue whose second version is parked, with a new name behind it. */
async function parkedCatalogue(seed: number): Promise<string> {
  const id = await createdFrom(catalogues.context, generatedRecords(seed, 10));
  await breakReadModel();
  await add(id, [POISON]);
  await rename(id, "behind the poison");
  return id;
}

test("a catalogue that stands still at an event shows error, and the others go on", async () => {
  const other = await createdFrom(catalogues.context, generatedRecords(1, 10));
  const id = await parkedCatalogue(2);
  await add(other, generatedRecords(3, 20));
  expect(await shown(id)).toMatchObject({ name: "test", status: "error", version: 1 });
  expect(await shown(other)).toMatchObject({ status: "active", version: 2 });
  expect(await parkedTypes(id)).toEqual([
    "SeismicEventsRecorded",
    "RevisionCommitted",
    "CatalogueRenamed",
  ]);
});

test("its events cannot be changed: what is shown is not what a change would be made on", async () => {
  const id = await parkedCatalogue(4);
  const head = await catalogues.context.log.head();
  await expect(add(id, generatedRecords(5, 20))).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await catalogues.context.log.head()).toBe(head);
});

test("a retry that fails again leaves all of it parked", async () => {
  const id = await parkedCatalogue(6);
  const parked = await parkedTypes(id);
  await expect(retry(id)).rejects.toThrow("no_poison");
  expect(await parkedTypes(id)).toEqual(parked);
  expect(await shown(id)).toMatchObject({ status: "error", version: 1 });
});

test("a retry after the repair applies all of it, and later events are applied as ever", async () => {
  const id = await parkedCatalogue(7);
  await repairReadModel();
  expect(await retry(id)).toBe(3);
  expect(await parkedTypes(id)).toEqual([]);
  expect(await shown(id)).toMatchObject({
    name: "behind the poison",
    status: "active",
    version: 2,
    event_count: 11,
  });
  await add(id, generatedRecords(8, 20));
  expect(await shown(id)).toMatchObject({ status: "active", version: 3, event_count: 21 });
  expect(await retry(id)).toBe(0);
});

test("a catalogue parked in its first version is active after the retry", async () => {
  await breakReadModel();
  const id = await createdFrom(catalogues.context, [POISON]);
  expect(await shown(id)).toMatchObject({ status: "error", version: 0 });
  await repairReadModel();
  await retry(id);
  expect(await shown(id)).toMatchObject({ status: "active", version: 1, event_count: 1 });
});

test("a read model that was parked and retried equals one that never was", async () => {
  const { context, projectorPool } = catalogues;
  const id = await parkedCatalogue(9);
  await createdFrom(context, generatedRecords(10, 10));
  await repairReadModel();
  const { rows } = await projectorPool.query<{ subject: string }>(
    "select distinct subject from read_model.parked_events",
  );
  expect(rows.map(({ subject }) => subject)).toContain(id);
  for (const { subject } of rows) await retry(subject);
  const retried = await dumpReadModel(projectorPool);
  await rebuildReadModel(projectorPool, context.log);
  expect(await dumpReadModel(projectorPool)).toEqual(retried);
});
