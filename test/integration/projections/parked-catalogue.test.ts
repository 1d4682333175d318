import { afterEach, expect, test } from "vitest";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import { retryParkedEvents } from "#projections/engine/run.ts";
import { catalogueById } from "#projections/read/catalogues.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { updateCatalogueCommand } from "#services/catalogues/commands.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { addRecords } from "../catalogues/additions.ts";
import { dumpReadModel, rebuildReadModel } from "../catalogues/read-model.ts";

const catalogues = useCatalogues();

const POISON: SeismicEventRecord = {
  ...emptyRecord({ time: "2016-11-13T11:02:56Z", latitude: -42.7, longitude: 173 }),
  source_id: "poison",
  magnitude: 7.8,
};

/** A fault of the read model, not of the log: one event has no place in it until it is repaired. */
const alter = (what: string) =>
  catalogues.projectorPool.query(`alter table read_model.seismic_events ${what}`);
const breakReadModel = () =>
  alter("add constraint no_poison check (source_id <> 'poison') not valid");
const repairReadModel = () => alter("drop constraint if exists no_poison");
afterEach(repairReadModel);

const add = (id: string, records: readonly SeismicEventRecord[]) =>
  addRecords(catalogues, id, records, { updateExisting: true });
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

test("a catalogue that stands still at an event shows error while others go on, cannot be changed, and has all of it after a retry of the repaired", async () => {
  const { context, projectorPool } = catalogues;
  const other = await createdFrom(context, generatedRecords(1, 10));
  const id = await createdFrom(context, generatedRecords(2, 10));
  await breakReadModel();
  await add(id, [POISON]);
  await updateCatalogueCommand(context, newCommand(), id, { name: "behind the poison" }, null);
  await add(other, generatedRecords(3, 20));
  const standing = { name: "test", status: "error", version: 1 };
  expect(await shown(id)).toMatchObject(standing);
  expect(await shown(other)).toMatchObject({ status: "active", version: 2 });
  const parked = ["SeismicEventsRecorded", "RevisionCommitted", "CatalogueRenamed"];
  expect(await parkedTypes(id)).toEqual(parked);

  // What is shown is not what a change would be made on.
  const head = await context.log.head();
  await expect(add(id, generatedRecords(5, 20))).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await context.log.head()).toBe(head);

  await expect(retry(id)).rejects.toThrow("no_poison");
  expect(await parkedTypes(id)).toEqual(parked);
  expect(await shown(id)).toMatchObject(standing);

  await repairReadModel();
  expect(await retry(id)).toBe(3);
  expect(await parkedTypes(id)).toEqual([]);
  const all = { name: "behind the poison", status: "active", version: 2, event_count: 11 };
  expect(await shown(id)).toMatchObject(all);
  await add(id, generatedRecords(8, 20));
  expect(await shown(id)).toMatchObject({ status: "active", version: 3, event_count: 21 });
  expect(await retry(id)).toBe(0);
  const retried = await dumpReadModel(projectorPool);
  await rebuildReadModel(projectorPool, context.log);
  expect(await dumpReadModel(projectorPool)).toEqual(retried);
});

test("a catalogue parked in its first version is active after the retry", async () => {
  await breakReadModel();
  const id = await createdFrom(catalogues.context, [POISON]);
  expect(await shown(id)).toMatchObject({ status: "error", version: 0 });
  await repairReadModel();
  await retry(id);
  expect(await shown(id)).toMatchObject({ status: "active", version: 1, event_count: 1 });
});
