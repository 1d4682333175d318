import fc from "fast-check";
import { expect, test } from "vitest";
import type { CursorAnswer } from "#contracts/http/events/seismic-events.ts";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { decodeCursor, encodeCursor } from "#projections/queries/events/event-cursor.ts";
import { runs } from "../../support/runs.ts";
import { type ApiReads, type Parameters, refusal } from "./api-reads.ts";
import { arbitraryRecord } from "./arbitrary-events.ts";
import { inOrder, listed } from "./event-oracle.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();

type Page = typeof CursorAnswer._output;

async function readPage(api: ApiReads, id: string, query: Parameters): Promise<Page> {
  const { body } = await api.listEvents({ id }, query);
  if (!("pagination" in body) || !("hasMore" in (body.pagination ?? {}))) {
    throw new Error("not the answer of a cursor walk");
  }
  return body as Page;
}

/** All pages from `start` on, along next or prev; `between` runs before every page but the first. */
async function walk(
  id: string,
  start: Parameters,
  along: "nextCursor" | "prevCursor" = "nextCursor",
  between: (page: number) => Promise<Parameters> = async () => ({}),
): Promise<Page[]> {
  const pages = [await readPage(model.api, id, start)];
  for (;;) {
    const cursor = pages.at(-1)?.pagination[along];
    if (cursor === null || cursor === undefined) return pages;
    pages.push(await readPage(model.api, id, { ...(await between(pages.length)), cursor }));
  }
}

const events = (pages: readonly Page[]) => pages.flatMap((page) => page.events);

async function catalogueOf(count: number, time = "2016-11-13T11:02:56Z"): Promise<ModelCatalogue> {
  const catalogue = await createModelCatalogue(model.writer);
  const add = Array.from({ length: count }, (_, i) =>
    emptyRecord({ time, latitude: i / 10, longitude: 0 }),
  );
  await catalogue.commit({ add });
  return catalogue;
}

/** Something of every kind: new events, changed ones (also in time), removed ones, given up ones. */
async function disturb(catalogue: ModelCatalogue, step: number): Promise<void> {
  const present = catalogue.events();
  const [first, second] = [
    present[step % present.length],
    present[(step * 7 + 1) % present.length],
  ];
  const add = [emptyRecord({ time: "2016-11-13T11:02:56.000001Z", latitude: 1, longitude: 1 })];
  const update: SeismicEvent[] = first ? [{ ...first, time: "2031-01-01T00:00:00Z" }] : [];
  const remove = second && second !== first ? [second.id] : [];
  await catalogue.open({ add, update, remove });
  await catalogue.abandon();
  await catalogue.commit({ add, update, remove });
}

test("a walk gives every event of the version where it began once, in order, whatever is written meanwhile", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryRecord, { minLength: 1, maxLength: 40 }),
      fc.constantFrom("asc" as const, "desc" as const),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
      async (add, direction, limits) => {
        const catalogue = await createModelCatalogue(model.writer);
        await catalogue.commit({ add });
        const expected = inOrder(catalogue.events(), direction === "asc" ? "time-asc" : "time");
        const limit = (page: number) => limits[page % limits.length] ?? 1;

        const pages = await walk(
          catalogue.id,
          { direction, limit: limit(0) },
          "nextCursor",
          async (page) => {
            await disturb(catalogue, page);
            return { limit: limit(page) };
          },
        );

        expect(events(pages)).toEqual(expected.map(listed));
        expect(pages.map((page) => page.pagination.limit)).toEqual(pages.map((_, i) => limit(i)));
        expect(pages.map((page) => page.pagination.hasMore)).toEqual(
          pages.map((_, i) => i < pages.length - 1),
        );
      },
    ),
    { numRuns: runs(40) },
  );
});

test("walking back gives the pages that walking on gave", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryRecord, { minLength: 1, maxLength: 40 }),
      fc.constantFrom("asc", "desc"),
      fc.integer({ min: 1, max: 9 }),
      async (add, direction, limit) => {
        const catalogue = await createModelCatalogue(model.writer);
        await catalogue.commit({ add });
        const forth = await walk(catalogue.id, { direction, limit });
        await disturb(catalogue, 1);
        const cursor = forth.at(-1)?.pagination.prevCursor;
        const back = cursor ? await walk(catalogue.id, { cursor }, "prevCursor") : [];

        expect(back.map((page) => page.events)).toEqual(
          forth
            .slice(0, -1)
            .reverse()
            .map((page) => page.events),
        );
        expect(forth[0]?.pagination.prevCursor).toBeNull();
        expect(back.every((page) => page.pagination.hasMore)).toBe(true);
      },
    ),
    { numRuns: runs(40) },
  );
});

test("500 events of one instant are walked by id, none twice and none left out", async () => {
  const catalogue = await catalogueOf(500);
  const pages = await walk(catalogue.id, { pagination: "cursor", limit: 7 });
  expect(events(pages)).toEqual(inOrder(catalogue.events(), "time").map(listed));
});

test("microseconds order events, whatever the digits they are written with", async () => {
  const catalogue = await createModelCatalogue(model.writer);
  const times = [".000001Z", ".00000Z", ".1Z", ".099999Z", "Z", ".1000Z"];
  const add = times.map((end) =>
    emptyRecord({ time: `2016-11-13T11:02:56${end}`, latitude: 0, longitude: 0 }),
  );
  await catalogue.commit({ add });
  const pages = await walk(catalogue.id, { direction: "asc", limit: 1 });
  expect(events(pages).map((event) => event.time.slice(19))).toEqual([
    ".00000Z",
    "Z",
    ".000001Z",
    ".099999Z",
    ".1Z",
    ".1000Z",
  ]);
});

test("a cursor alone keeps the direction and the limit of its walk", async () => {
  const catalogue = await catalogueOf(10);
  const first = await readPage(model.api, catalogue.id, { direction: "asc", limit: 4 });
  const second = await readPage(model.api, catalogue.id, {
    cursor: first.pagination.nextCursor ?? "",
  });
  expect(second.pagination.limit).toBe(4);
  expect([...first.events, ...second.events]).toEqual(
    inOrder(catalogue.events(), "time-asc").slice(0, 8).map(listed),
  );
});

test("a catalogue without events gives one empty page", async () => {
  const catalogue = await createModelCatalogue(model.writer);
  expect(await readPage(model.api, catalogue.id, { pagination: "cursor" })).toEqual({
    events: [],
    pagination: { nextCursor: null, prevCursor: null, hasMore: false, limit: 100 },
  });
});

test("the cursor of a limit alone goes on exactly after the answered events", async () => {
  const catalogue = await catalogueOf(10);
  const { body } = await model.api.listEvents({ id: catalogue.id }, { limit: 4 });
  expect(body).toMatchObject({ total: 10, limit: 4, offset: 0 });
  const cursor = "pagination" in body ? body.pagination?.nextCursor : null;
  await disturb(catalogue, 1);
  const rest = await walk(catalogue.id, { cursor: cursor ?? "" });
  expect([...body.events, ...events(rest)]).toEqual(
    inOrder(catalogue.events(1), "time").map(listed),
  );

  const whole = await model.api.listEvents({ id: catalogue.id }, { limit: 10, asOf: 1 });
  expect(whole.body).toMatchObject({ pagination: { nextCursor: null } });
});

async function cursorOf(catalogue: ModelCatalogue, query: Parameters = {}): Promise<string> {
  const page = await readPage(model.api, catalogue.id, {
    pagination: "cursor",
    limit: 2,
    ...query,
  });
  return page.pagination.nextCursor ?? "";
}

test("what a request repeats must agree with its cursor", async () => {
  const catalogue = await catalogueOf(5);
  const cursor = await cursorOf(catalogue, { direction: "asc" });
  const read = (query: Parameters) =>
    model.api.listEvents({ id: catalogue.id }, { cursor, ...query });
  await disturb(catalogue, 1);

  for (const agreeing of [
    { direction: "asc" },
    { asOf: 1 },
    { pagination: "cursor" },
    { limit: 9 },
  ]) {
    await expect(read(agreeing)).resolves.toMatchObject({ etag: '"1"' });
  }
  for (const other of [{ direction: "desc" }, { asOf: catalogue.latest() }]) {
    expect(await refusal(read(other))).toMatchObject({ code: "INVALID_CURSOR" });
  }
});

test("a cursor is refused by another catalogue and by another endpoint", async () => {
  const [own, other] = [await catalogueOf(5), await catalogueOf(5)];
  const cursor = await cursorOf(own);
  const reads = [
    model.api.listEvents({ id: other.id }, { cursor }),
    model.api.filterEvents({ id: own.id }, { cursor }),
  ];
  for (const { code } of await Promise.all(reads.map(refusal))) expect(code).toBe("INVALID_CURSOR");
});

test("a cursor of a deleted catalogue is 404, also when another has its place in the read model", async () => {
  const deleted = await catalogueOf(5);
  const cursor = await cursorOf(deleted);
  await deleted.remove();
  const successor = await catalogueOf(5);
  expect(successor.key).toBe(deleted.key);
  const read = model.api.listEvents({ id: deleted.id }, { cursor });
  expect((await refusal(read)).code).toBe("NOT_FOUND");
});

test("a cursor to a revision that is still written is INVALID_CURSOR", async () => {
  const catalogue = await catalogueOf(5);
  const cursor = decodeCursor(await cursorOf(catalogue, { direction: "asc" }));
  const version = await catalogue.open({
    add: [emptyRecord({ time: "2100-01-01T00:00:00Z", latitude: 0, longitude: 0 })],
  });
  for (const unseen of [version, version + 1, 2 ** 31 - 1]) {
    const forged = encodeCursor({ ...cursor, version: unseen });
    const read = model.api.listEvents({ id: catalogue.id }, { cursor: forged });
    expect((await refusal(read)).code).toBe("INVALID_CURSOR");
  }
});

test("a cursor that was changed in any way is INVALID_CURSOR", async () => {
  const catalogue = await catalogueOf(5);
  const cursor = await cursorOf(catalogue);
  const changed = fc.oneof(
    fc
      .tuple(fc.nat({ max: cursor.length - 1 }), fc.string({ unit: "binary", maxLength: 3 }))
      .map(([at, by]) => cursor.slice(0, at) + by + cursor.slice(at + 1)),
    fc.nat({ max: cursor.length - 1 }).map((length) => cursor.slice(0, length)),
    fc.string({ unit: "binary" }),
    fc.base64String(),
    fc.constant(`${cursor}=`),
  );
  await fc.assert(
    fc.asyncProperty(
      changed.filter((text) => text !== cursor),
      async (text) => {
        const read = model.api.listEvents({ id: catalogue.id }, { cursor: text });
        expect((await refusal(read)).code).toBe("INVALID_CURSOR");
      },
    ),
    { numRuns: runs(300) },
  );
});

test("ways of paging cannot be mixed", async () => {
  const catalogue = await catalogueOf(1);
  const mixed: [Parameters, string[]][] = [
    [{ page: 1, limit: 10 }, ["page", "limit"]],
    [{ pageSize: 10, offset: 0 }, ["pageSize", "offset"]],
    [{ page: 1, cursor: "x" }, ["page", "cursor"]],
    [{ offset: 0, cursor: "x" }, ["offset", "cursor"]],
    [{ offset: 0, limit: 5, direction: "asc" }, ["offset", "direction", "limit"]],
    [{ page: 1, pagination: "cursor" }, ["page", "pagination"]],
  ];
  for (const [query, fields] of mixed) {
    const read = model.api.listEvents({ id: catalogue.id }, query);
    expect(await refusal(read)).toEqual({ code: "VALIDATION_ERROR", fields });
  }
});
