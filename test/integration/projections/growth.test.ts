import { expect, test } from "vitest";
import { eventId } from "#contracts/seismic-event/event-id.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { addRecords } from "../catalogues/additions.ts";
import { createdFrom, generatedRecords } from "../catalogues/catalogue-scene.ts";
import { rebuildReadModel } from "../catalogues/read-model.ts";
import { useCatalogues } from "../catalogues/use-catalogues.ts";

const catalogues = useCatalogues();

/** Origin times of a catalogue's rows as they follow each other on disk, exact to the microsecond. */
async function timesOnDisk(catalogueId: string): Promise<string[]> {
  const { rows } = await catalogues.projectorPool.query<{ time: string }>(
    `select e.time from read_model.seismic_events e
     join read_model.catalogues c on c.key = e.catalogue_key where c.id = $1 order by e.ctid`,
    [catalogueId],
  );
  return rows.map(({ time }) => time);
}

/** How many rows PostgreSQL takes the table to have; ANALYZE sets it in its transaction. */
async function estimatedRows(): Promise<number> {
  const { rows } = await catalogues.projectorPool.query(
    "select reltuples from pg_class where oid = 'read_model.seismic_events'::regclass",
  );
  return Number(rows[0]?.["reltuples"]);
}

test("rows of a revision lie on disk in order of time, whatever order its events come in", async () => {
  const { context, projectorPool } = catalogues;
  const records = generatedRecords(21, 5_000);
  const id = await createdFrom(context, records);
  // From the log all chunks come at once; beside a running upload they come as they are written.
  await rebuildReadModel(projectorPool, context.log);
  const times = await timesOnDisk(id);
  expect(times).toHaveLength(records.length);
  expect(times).toEqual(times.toSorted());
  expect(records.map(({ time }) => time)).not.toEqual(records.map(({ time }) => time).toSorted());
});

test("events added and updated by one revision have the ids of their records", async () => {
  const { context, projectorPool } = catalogues;
  const records = generatedRecords(22, 50);
  const id = await createdFrom(context, records);
  const changed = records.map((record) => ({ ...record, depth: 7 }));
  const further = generatedRecords(23, 50).map((record, i) => ({ ...record, source_id: `n${i}` }));
  await addRecords(catalogues, id, [...changed, ...further], { updateExisting: true });
  const { rows } = await projectorPool.query(
    `select e.source_id, e.depth, e.event_id
     from read_model.seismic_events e join read_model.catalogues c on c.key = e.catalogue_key
     where c.id = $1`,
    [id],
  );
  const rowOf = (revision: number) => (record: SeismicEventRecord, index: number) => ({
    source_id: record.source_id,
    depth: record.depth,
    event_id: eventId(id, revision, index),
  });
  const created = [...records, ...changed];
  const expected = [
    ...created.map((record, i) => rowOf(1)(record, i % records.length)),
    ...further.map(rowOf(2)),
  ];
  expect(rows).toHaveLength(expected.length);
  expect(rows).toEqual(expect.arrayContaining(expected));
});

test("statistics are fresh once a revision is visible that changes more than a tenth", async () => {
  const { context } = catalogues;
  const id = await createdFrom(context, generatedRecords(24, 12_000));
  const created = await estimatedRows();
  expect(created).toBeGreaterThanOrEqual(12_000);
  const few = generatedRecords(25, 100).map((record, i) => ({ ...record, source_id: `few${i}` }));
  await addRecords(catalogues, id, few, { updateExisting: false });
  expect(await estimatedRows()).toBe(created);
  const many = generatedRecords(26, 11_000).map((record, i) => ({ ...record, source_id: `m${i}` }));
  await addRecords(catalogues, id, many, { updateExisting: false });
  expect(await estimatedRows()).toBeGreaterThanOrEqual(created + 11_000);
});
