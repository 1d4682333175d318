import { expect, test } from "vitest";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { readPage } from "#projections/queries/events/event-pages.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { type Parameters, refusal } from "./api-reads.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();

const records = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    emptyRecord({ time: `2016-11-13T11:02:${10 + i}Z`, latitude: 0, longitude: 0 }),
  );

async function catalogueOf(events: number): Promise<ModelCatalogue> {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: records(events) });
  return catalogue;
}

/** Every event in another version of itself. */
async function changeAll(catalogue: ModelCatalogue): Promise<void> {
  const update = catalogue
    .events()
    .map((event) => ({ ...event, region: `${catalogue.latest() + 1}` }));
  await catalogue.commit({ update });
}

const LISTS: readonly Parameters[] = [
  {},
  { page: 1, pageSize: 2 },
  { offset: 1, limit: 2 },
  { pagination: "cursor" },
];

/** Every way to read the latest version, each with its entity tag. */
function readAll({ id }: ModelCatalogue) {
  const { listEvents, filterEvents } = model.api;
  return Promise.all([
    ...LISTS.map((query) => listEvents({ id }, query)),
    filterEvents({ id }),
    filterEvents({ id }, { maxLatitude: 1 }),
  ]);
}

test("after a change by another process the next read is of the new version", async () => {
  const catalogue = await catalogueOf(4);
  await readAll(catalogue);
  for (const version of [2, 3]) {
    await changeAll(catalogue);
    for (const { body, etag } of await readAll(catalogue)) {
      expect(etag).toBe(`"${version}"`);
      expect(new Set(body.events.map(({ region }) => region))).toEqual(new Set([`${version}`]));
    }
  }
});

test("so is an answer without events, and the total", async () => {
  const catalogue = await catalogueOf(1);
  const { id } = catalogue;
  await readAll(catalogue);
  await catalogue.commit({ add: records(2) });
  const none = await model.api.filterEvents({ id }, { minLatitude: 10 });
  expect(none).toMatchObject({ body: { count: 0 }, etag: '"2"' });
  const beyond = await model.api.listEvents({ id }, { offset: 5 });
  expect(beyond).toMatchObject({ body: { events: [], total: 3 }, etag: '"2"' });
  await catalogue.commit({ remove: catalogue.events().map((event) => event.id) });
  const emptied = await model.api.listEvents({ id });
  expect(emptied).toMatchObject({ body: { events: [], total: 0 }, etag: '"3"' });
});

test("a revision that is still written changes nothing", async () => {
  const catalogue = await catalogueOf(2);
  await readAll(catalogue);
  const remove = catalogue.events().map((event) => event.id);
  await catalogue.open({ add: records(3), remove });
  for (const { body, etag } of await readAll(catalogue)) {
    expect(etag).toBe('"1"');
    expect(body.events.every((event) => remove.includes(event.id ?? ""))).toBe(true);
    expect(body.events).not.toEqual([]);
  }
});

test("a catalogue that was deleted meanwhile is 404, whoever has its key now", async () => {
  const deleted = await catalogueOf(2);
  await readAll(deleted);
  await deleted.remove();
  const successor = await catalogueOf(2);
  expect(successor.key).toBe(deleted.key);
  const { id } = deleted;
  for (const query of LISTS) {
    expect((await refusal(model.api.listEvents({ id }, query))).code).toBe("NOT_FOUND");
  }
  expect((await refusal(model.api.filterEvents({ id }))).code).toBe("NOT_FOUND");
});

test("a version committed between finding the latest and reading its events is not seen", async () => {
  const catalogue = await catalogueOf(3);
  const before = catalogue.events().map(({ id }) => id);
  const request = { catalogueId: catalogue.id, reader: SERVICE };
  const version = await resolveVersion(model.reads.prepared, request);
  await catalogue.commit({ add: records(2), remove: before });
  const selection = { version, order: "time", filters: {} } as const;
  const { json } = await readPage(model.reads, selection, { offset: 0 }, 10);
  const read: { id: string }[] = JSON.parse(`[${json.join(",")}]`);
  expect(new Set(read.map(({ id }) => id))).toEqual(new Set(before));
});

test("every answer given while versions are committed is of one version, that of its tag", async () => {
  const catalogue = await catalogueOf(20);
  const { id } = catalogue;
  let isWriting = true;
  const versions = new Set<string>();
  const reader = async (query: Parameters) => {
    while (isWriting) {
      const { body, etag } = await model.api.filterEvents({ id }, query);
      const expected = etag === '"1"' ? null : etag?.slice(1, -1);
      expect(body.events.map(({ region }) => region)).toEqual(Array(20).fill(expected));
      versions.add(etag ?? "");
    }
  };
  const readers = [reader({}), reader({ maxLatitude: 1 })];
  for (let i = 0; i < 30; i += 1) await changeAll(catalogue);
  isWriting = false;
  await Promise.all(readers);
  expect(versions.size).toBeGreaterThan(5);
});
