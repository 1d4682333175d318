import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { sliceOfEvents } from "#projections/queries/pages-by-number/event-slices.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { runs } from "../../support/runs.ts";
import { type Parameters, refusal } from "./api-reads.ts";
import { arbitraryRecord } from "./arbitrary-events.ts";
import { inOrder, listed } from "./event-oracle.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
const COUNT = 130;
let catalogue: ModelCatalogue;
let expected: ReturnType<typeof listed>[];

beforeAll(async () => {
  catalogue = await createModelCatalogue(model.writer);
  const add = fc.sample(arbitraryRecord, { numRuns: COUNT, seed: 11 });
  await catalogue.commit({ add });
  expected = inOrder(catalogue.events(), "time").map(listed);
});

const read = async (query: Parameters = {}) => model.api.listEvents({ id: catalogue.id }, query);

test("without parameters the answer is page 1 of 50, newest first, with the version as its ETag", async () => {
  const { body, etag } = await read();
  expect(body).toEqual({ events: expected.slice(0, 50), total: COUNT, page: 1, pageSize: 50 });
  expect(etag).toBe('"1"');
});

test("every page is its slice of the order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1000 })),
      async (page, pageSize) => {
        const { body } = await read({ page, pageSize });
        const start = (page - 1) * pageSize;
        const events = expected.slice(start, start + pageSize);
        expect(body).toEqual({ events, total: COUNT, page, pageSize });
      },
    ),
    { numRuns: runs(60) },
  );
});

test("every offset is its slice of the order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: COUNT + 5 }),
      fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1000 })),
      async (offset, limit) => {
        const { body } = await read({ offset, limit });
        const events = expected.slice(offset, offset + limit);
        expect(body).toEqual({ events, total: COUNT, limit, offset });
      },
    ),
    { numRuns: runs(60) },
  );
});

test("the cursor after any slice goes on with the next event", async () => {
  const { id: catalogueId } = catalogue;
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: COUNT }),
      fc.integer({ min: 1, max: 60 }),
      async (offset, limit) => {
        const request = { catalogueId, reader: SERVICE, offset, limit };
        const { nextCursor: cursor } = await sliceOfEvents(model.reads, request);
        const rest = expected.slice(offset + limit, offset + 2 * limit);
        const events = cursor === null ? [] : (await read({ cursor })).body.events;
        expect(events).toEqual(rest);
      },
    ),
    { numRuns: runs(60) },
  );
});

test("an offset alone answers 100 events", async () => {
  const { body } = await read({ offset: 10 });
  expect(body).toEqual({ events: expected.slice(10, 110), total: COUNT, limit: 100, offset: 10 });
});

test("a page beyond the end is empty", async () => {
  const { body } = await read({ page: 1_000_000_000, pageSize: 1000 });
  expect(body).toMatchObject({ events: [], total: COUNT });
});

test("an event is answered with every attribute, and time and numbers exactly as given", async () => {
  const single = await createModelCatalogue(model.writer);
  const record = {
    ...emptyRecord({ time: "1063-02-28T23:59:59.100Z", latitude: -0.1, longitude: 1e-7 }),
    depth: 5e-324,
    region: 'Kaikōura, "Te Tau Ihu" 🌏\n\ttab',
    focal_mechanisms: [{ nodalPlanes: { nodalPlane1: { strike: 10, dip: 20, rake: -30 } } }],
    extra: { z: 1, a: [null, { "": false }] },
  };
  await single.commit({ add: [record] });
  const [event] = single.events();
  const { body } = await model.api.listEvents({ id: single.id });
  expect(body.events).toEqual(event && [listed(event)]);
  expect(Object.keys(body.events[0] ?? {}).slice(0, 3)).toEqual(["id", "time", "latitude"]);
});

test.each([
  [{ page: 0 }, "page"],
  [{ page: 1.5 }, "page"],
  [{ page: "1e99" }, "page"],
  [{ pageSize: 1001 }, "pageSize"],
  [{ pageSize: "" }, "pageSize"],
  [{ limit: 0 }, "limit"],
  [{ limit: 1001 }, "limit"],
  [{ offset: -1 }, "offset"],
  [{ direction: "up" }, "direction"],
  [{ pagination: "page" }, "pagination"],
  [{ minMagnitude: 5 }, "minMagnitude"],
])("a page query refuses %j by its name", async (query: Parameters, field) => {
  const { code, fields } = await refusal(read(query));
  expect(code).toBe("VALIDATION_ERROR");
  expect(new Set(fields)).toEqual(new Set([field]));
});

test.each(["00000000-0000-4000-8000-000000000000", "nonsense", "", "' or true --", "\0"])(
  "the events of the unknown catalogue %j are 404",
  async (id) => {
    for (const query of [{}, { offset: 0 }, { pagination: "cursor" }]) {
      expect((await refusal(model.api.listEvents({ id }, query))).code).toBe("NOT_FOUND");
    }
    expect((await refusal(model.api.filterEvents({ id }))).code).toBe("NOT_FOUND");
  },
);
