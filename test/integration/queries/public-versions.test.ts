import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { runs } from "../../support/runs.ts";
import { type ApiReads, createApiReads, type Parameters, refusal } from "./api-reads.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
const guestReads = (): ApiReads => createApiReads(model.pool, model.reads, null);

const records = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    emptyRecord({ time: `2016-11-13T11:02:${10 + i}Z`, latitude: 0, longitude: 0 }),
  );

/** Public, of so many versions with two events more each. */
async function catalogueOf(versions: number): Promise<ModelCatalogue> {
  const catalogue = await createModelCatalogue(model.writer);
  for (let i = 0; i < versions; i += 1) await catalogue.commit({ add: records(2) });
  return catalogue;
}

async function cursorAt({ id }: ModelCatalogue, version: number): Promise<string> {
  const query = { pagination: "cursor", limit: 1, asOf: version };
  const { body } = await model.api.listEvents({ id }, query);
  if (!("pagination" in body)) throw new Error("a walk was asked for");
  return body.pagination?.nextCursor ?? "";
}

test("a catalogue that another process has made private is closed to guests at once", async () => {
  const catalogue = await catalogueOf(2);
  const { id } = catalogue;
  const cursor = await cursorAt(catalogue, 2);
  const guest = guestReads();
  await guest.listEvents({ id });
  await catalogue.publish(null);
  for (const query of [{}, { offset: 0 }, { pagination: "cursor" }, { cursor }, { asOf: 2 }]) {
    expect((await refusal(guest.listEvents({ id }, query))).code).toBe("UNAUTHENTICATED");
  }
  expect((await refusal(guest.filterEvents({ id }))).code).toBe("UNAUTHENTICATED");
  await catalogue.publish(2);
  expect((await guest.listEvents({ id })).body.events).toHaveLength(4);
  expect((await guest.listEvents({ id }, { cursor })).body.events).toHaveLength(1);
});

test("a walk through a version ends for guests when it is not public any more", async () => {
  const catalogue = await catalogueOf(3);
  const { id } = catalogue;
  const cursor = await cursorAt(catalogue, 2);
  const guest = guestReads();
  expect((await guest.listEvents({ id }, { cursor })).body.events).toHaveLength(1);
  await catalogue.publish(3);
  expect((await refusal(guest.listEvents({ id }, { cursor }))).code).toBe("NOT_FOUND");
  expect((await model.api.listEvents({ id }, { cursor })).body.events).toHaveLength(1);
});

test("an answer tells whether guests would have had it, whoever asks", async () => {
  const catalogue = await catalogueOf(2);
  const { id } = catalogue;
  const reads = async (asOf: number) => {
    const cursor = await cursorAt(catalogue, asOf);
    const latest = asOf === 2 ? [model.api.listEvents({ id }), model.api.filterEvents({ id })] : [];
    const answers = await Promise.all([
      ...latest,
      model.api.listEvents({ id }, { asOf }),
      model.api.listEvents({ id }, { cursor }),
      model.api.filterEvents({ id }, { asOf }),
    ]);
    return new Set(answers.map(({ isPublic }) => isPublic));
  };
  for (const from of [null, 1, 2, null]) {
    await catalogue.publish(from);
    for (const version of [1, 2]) {
      const isPublic = from !== null && version >= from;
      expect(await reads(version)).toEqual(new Set([isPublic]));
    }
  }
});

test("guests read what a model lets them, in whatever order it is published and hidden", async () => {
  const step = fc.record({
    publish: fc.option(fc.integer({ min: 1, max: 4 })),
    query: fc.oneof(
      fc.constantFrom<Parameters>({}, { page: 1 }, { pagination: "cursor" }),
      fc.integer({ min: 1, max: 4 }).map((asOf): Parameters => ({ asOf })),
      fc.integer({ min: 1, max: 4 }).map((cursor): Parameters => ({ cursor })),
    ),
  });
  const catalogue = await catalogueOf(4);
  const { id } = catalogue;
  const cursors = await Promise.all([1, 2, 3, 4].map((version) => cursorAt(catalogue, version)));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const guest = guestReads();
      for (const { publish, query } of steps) {
        await catalogue.publish(publish);
        const version = Number(query["asOf"] ?? query["cursor"] ?? 4);
        const cursor = query["cursor"] === undefined ? {} : { cursor: cursors[version - 1] ?? "" };
        const read = guest.listEvents({ id }, { ...query, ...cursor });
        if (publish === null) expect((await refusal(read)).code).toBe("UNAUTHENTICATED");
        else if (version < publish) expect((await refusal(read)).code).toBe("NOT_FOUND");
        else expect(await read).toMatchObject({ etag: `"${version}"`, isPublic: true });
      }
    }),
    { numRuns: runs(40) },
  );
});
