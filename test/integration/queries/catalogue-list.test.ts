import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueFacts, GUEST } from "#projections/queries/rights/reader-rights.ts";
import { runs } from "../../support/runs.ts";
import { refusal } from "./api-reads.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();

const NAMES = [
  "Canterbury",
  "canterbury 2010",
  "100% complete",
  "100 complete",
  "a_b",
  "a-b",
  String.raw`back\slash`,
  "KAIKŌURA",
  "Kaikōura 2016 🌏",
  "  ",
  "Ελλάδα",
  "Canterbury",
];
let catalogues: { catalogue: ModelCatalogue; name: string; createdAt: string }[] = [];

beforeAll(async () => {
  for (const [i, name] of NAMES.entries()) {
    // Several are of one instant, so that the id decides.
    const createdAt = new Date(Date.UTC(2020, 0, 1, 0, 0, i >> 1, 120)).toISOString();
    catalogues.push({
      name,
      createdAt,
      catalogue: await createModelCatalogue(model.writer, { name, createdAt }),
    });
  }
  const key = ({ createdAt, catalogue }: (typeof catalogues)[number]) => createdAt + catalogue.id;
  catalogues = catalogues.toSorted((a, b) => (key(a) < key(b) ? 1 : -1));
});

test("pages are slices of all catalogues, newest first", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 8 }),
      async (page, pageSize) => {
        const { body } = await model.api.listCatalogues({}, { page, pageSize });
        const ids = catalogues.map(({ catalogue }) => catalogue.id);
        expect(body.catalogues.map(({ id }) => id)).toEqual(
          ids.slice((page - 1) * pageSize, page * pageSize),
        );
        expect(body).toMatchObject({ total: NAMES.length, page, pageSize });
      },
    ),
    { numRuns: runs(40) },
  );
});

test("without parameters the answer is page 1 of 10", async () => {
  const { body } = await model.api.listCatalogues({});
  expect(body).toMatchObject({ page: 1, pageSize: 10 });
  expect(body.catalogues).toHaveLength(10);
});

test.each([
  "CANTERBURY",
  "100%",
  "%",
  "_",
  "a_b",
  "\\",
  String.raw`\s`,
  "kaikōura",
  "ΕΛΛΆΔΑ",
  "🌏",
  " ",
  "nothing",
  "'",
  "",
])("the search %j finds the names that hold it, whatever their case", async (search) => {
  const { body } = await model.api.listCatalogues({}, { search, pageSize: 100 });
  const expected = catalogues.filter(({ name }) =>
    name.toLowerCase().includes(search.toLowerCase()),
  );
  expect(body.catalogues.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
  expect(body.total).toBe(expected.length);
});

test("a search for NUL is refused by its name", async () => {
  const read = model.api.listCatalogues({}, { search: "a\0" });
  expect(await refusal(read)).toEqual({ code: "VALIDATION_ERROR", fields: ["search"] });
});

test("a catalogue is answered with every field, its bounds null while it has no events", async () => {
  const { catalogue, name, createdAt } = catalogues[0] ?? {};
  const { body, etag } = await model.api.getCatalogue({ id: catalogue?.id ?? "" });
  expect(body).toEqual({
    id: catalogue?.id,
    name,
    created_at: createdAt,
    updated_at: createdAt,
    status: "processing",
    event_count: 0,
    ...NO_BOUNDS,
    bbox: null,
    is_public: true,
    public_from: 1,
    access: "public",
    editing: "all",
    version: 0,
    created_by: "user_1_tester",
    metadata: null,
    merge_config: null,
    source_catalogues: null,
  });
  expect(etag).toMatch(/^"0-[0-9a-f]{12}"$/);
});

test("a catalogue is public when it says so", async () => {
  for (const isPublic of [true, false]) {
    const { id } = await createModelCatalogue(model.writer, { isPublic });
    expect(await catalogueFacts(model.pool, id, GUEST)).toMatchObject({ isPublic });
    await model.writer.query("delete from read_model.catalogues where id = $1", [id]);
  }
});

test.each(["00000000-0000-4000-8000-000000000000", "nonsense", "", "\0"])(
  "the unknown catalogue %j is 404",
  async (id) => {
    expect(await catalogueFacts(model.pool, id, GUEST)).toBeNull();
    const reads = [model.api.getCatalogue({ id }), model.api.listVersions({ id })];
    for (const { code } of await Promise.all(reads.map(refusal))) expect(code).toBe("NOT_FOUND");
  },
);
