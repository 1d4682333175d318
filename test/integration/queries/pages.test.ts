import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { CursorAnswer } from "#contracts/http/events.ts";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { WrittenEvents } from "#projections/read/pages.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import { nearestStart, readPage, sliceOfEvents } from "#projections/read/walk.ts";
import { arbitraryRecord } from "../../support/arbitrary-events.ts";
import { inOrder, listed } from "../../support/event-oracle.ts";
import { runs } from "../../support/runs.ts";
import { codesOf, type Parameters } from "./api-reads.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
const TIME = "2016-11-13T11:02:56Z";
const at = (time: string, latitude = 0) => emptyRecord({ time, latitude, longitude: 0 });

const list = (id: string, query: Parameters = {}) => model.api.listEvents({ id }, query);

async function catalogueOf(count: number): Promise<ModelCatalogue> {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: Array.from({ length: count }, (_, i) => at(TIME, i / 10)) });
  return catalogue;
}

/** Something of every kind: new events, changed ones (also in time), removed ones, given up ones. */
async function disturb(catalogue: ModelCatalogue, step = 1): Promise<void> {
  const present = catalogue.events();
  const [first, second] = [step, step * 7 + 1].map((i) => present[i % present.length]);
  const add = [at("2016-11-13T11:02:56.000001Z", 1)];
  const update: SeismicEvent[] = first ? [{ ...first, time: "2031-01-01T00:00:00Z" }] : [];
  const remove = second && second !== first ? [second.id] : [];
  await catalogue.open({ add, update, remove });
  await catalogue.abandon();
  await catalogue.commit({ add, update, remove });
}

describe("a walk by cursor", () => {
  type Page = typeof CursorAnswer._output;

  async function page(id: string, query: Parameters): Promise<Page> {
    const { body } = await list(id, query);
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
    const pages = [await page(id, start)];
    for (;;) {
      const cursor = pages.at(-1)?.pagination[along];
      if (cursor === null || cursor === undefined) return pages;
      pages.push(await page(id, { ...(await between(pages.length)), cursor }));
    }
  }

  const events = (pages: readonly Page[]) => pages.flatMap((one) => one.events);
  const cursorOf = async ({ id }: ModelCatalogue, query: Parameters = {}) => {
    const { pagination } = await page(id, { pagination: "cursor", limit: 2, ...query });
    return pagination.nextCursor ?? "";
  };

  test("gives every event of the version where it began once, in order, forth and back, whatever is written meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryRecord, { minLength: 1, maxLength: 40 }),
        fc.constantFrom("asc" as const, "desc" as const),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
        async (add, direction, limits) => {
          const catalogue = await createModelCatalogue(model.writer);
          await catalogue.commit({ add });
          const { id } = catalogue;
          const expected = inOrder(catalogue.events(), direction === "asc" ? "time-asc" : "time");
          const limit = (i: number) => limits[i % limits.length] ?? 1;
          const start = { direction, limit: limit(0) };
          const pages = await walk(id, start, "nextCursor", async (i) => {
            await disturb(catalogue, i);
            return { limit: limit(i) };
          });
          expect(events(pages)).toEqual(expected.map(listed));
          expect(pages.map(({ pagination }) => pagination.limit)).toEqual(
            pages.map((_, i) => limit(i)),
          );
          expect(pages.map(({ pagination }) => pagination.hasMore)).toEqual(
            pages.map((_, i) => i < pages.length - 1),
          );
          const forth = await walk(id, { ...start, asOf: 1 });
          await disturb(catalogue);
          const cursor = forth.at(-1)?.pagination.prevCursor;
          const back = cursor ? await walk(id, { cursor }, "prevCursor") : [];
          expect(back.map((one) => one.events)).toEqual(
            forth
              .slice(0, -1)
              .toReversed()
              .map((one) => one.events),
          );
          expect(forth[0]?.pagination.prevCursor).toBeNull();
          expect(back.every(({ pagination }) => pagination.hasMore)).toBe(true);
        },
      ),
      { numRuns: runs(40) },
    );
  });

  test("is 404 where its catalogue was deleted, also when another has its place in the read model", async () => {
    const deleted = await catalogueOf(5);
    const cursor = await cursorOf(deleted);
    await deleted.remove();
    const successor = await catalogueOf(5);
    expect(successor.key).toBe(deleted.key);
    expect(await codesOf(list(deleted.id, { cursor }))).toEqual(["NOT_FOUND"]);
  });

  test("is INVALID_CURSOR where the cursor was changed in any way", async () => {
    const catalogue = await catalogueOf(5);
    const cursor = await cursorOf(catalogue);
    const place = fc.nat({ max: cursor.length - 1 });
    const changed = fc.oneof(
      fc
        .tuple(place, fc.string({ unit: "binary", maxLength: 3 }))
        .map(([i, by]) => cursor.slice(0, i) + by + cursor.slice(i + 1)),
      place.map((length) => cursor.slice(0, length)),
      fc.string({ unit: "binary" }),
      fc.base64String(),
      fc.constant(`${cursor}=`),
    );
    await fc.assert(
      fc.asyncProperty(
        changed.filter((text) => text !== cursor),
        async (text) => {
          expect(await codesOf(list(catalogue.id, { cursor: text }))).toEqual(["INVALID_CURSOR"]);
        },
      ),
      { numRuns: runs(300, 1 / 10) },
    );
  });
});

describe("a page by number or offset", () => {
  const FIRST = 900;
  const OF_BLOCK = 40;
  let catalogue: ModelCatalogue;

  /** Versions 1 to 4: many events of one time, of which some change their time, and some go. */
  beforeAll(async () => {
    catalogue = await createModelCatalogue(model.writer, { eventsOfBlock: OF_BLOCK });
    const records = fc.sample(arbitraryRecord, { numRuns: FIRST + 300, seed: 27 });
    await catalogue.commit({ add: records.slice(0, FIRST) });
    for (let i = 0; i < 3; i += 1) {
      const present = catalogue.events();
      const update = present
        .filter((_, place) => place % 7 === i)
        .map((event, place) => ({ ...event, time: records[place]?.time ?? event.time }));
      const remove = present.filter((_, place) => place % 7 === i + 3).map(({ id }) => id);
      const add = records.slice(FIRST + 100 * i, FIRST + 100 * (i + 1));
      await catalogue.commit({ add, update, remove: remove.slice(0, 100) });
    }
  });

  const eventsOf = ({ json }: WrittenEvents): unknown => JSON.parse(`[${json.join(",")}]`);
  const expected = (offset: number, limit: number, version = catalogue.latest()) =>
    inOrder(catalogue.events(version), "time")
      .slice(offset, offset + limit)
      .map(listed);
  const anyLimit = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1000 }));
  const anyVersion = fc.integer({ min: 1, max: 4 });

  test("is its slice of the order in any version, wherever it lies, and the cursor after it goes on with the next event", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 1_100 }),
        anyLimit,
        fc.option(anyVersion, { nil: undefined }),
        async (offset, limit, asOf) => {
          const { id } = catalogue;
          const as = asOf === undefined ? {} : { asOf };
          const total = catalogue.events(asOf).length;
          const { body } = await list(id, { offset, limit, ...as });
          const events = expected(offset, limit, asOf);
          expect(body).toMatchObject({ events, total, limit, offset });
          const page = 1 + Math.floor(offset / limit);
          expect((await list(id, { page, pageSize: limit, ...as })).body).toEqual({
            events: expected((page - 1) * limit, limit, asOf),
            total,
            page,
            pageSize: limit,
          });
          const request = { catalogueId: id, reader: SERVICE, offset, limit };
          const ofVersion = asOf === undefined ? {} : { asOf: `${asOf}` };
          const slice = await sliceOfEvents(model.reads, { ...request, ...ofVersion });
          expect(eventsOf(slice.events)).toEqual(events);
          const { nextCursor: cursor } = slice;
          const next = cursor === null ? [] : (await list(id, { cursor })).body.events;
          expect(next).toEqual(expected(offset + limit, limit, asOf));
        },
      ),
      { numRuns: runs(100, 1 / 10) },
    );
  });

  /** The most events of one time. */
  function largestTime(events: readonly { readonly time: string }[]): number {
    const byTime = Map.groupBy(events, ({ time }) => Date.parse(time));
    return Math.max(...[...byTime.values()].map(({ length }) => length));
  }

  test("begins at the nearest edge of its block, however near to the ends it is", async () => {
    const { reads } = model;
    await fc.assert(
      fc.asyncProperty(
        anyVersion,
        fc.nat({ max: 890 }),
        fc.integer({ min: 1, max: 60 }),
        async (asOf, offset, limit) => {
          const all = catalogue.events(asOf);
          const length = Math.min(limit, all.length - offset);
          fc.pre(length > 0);
          const request = { catalogueId: catalogue.id, reader: SERVICE, asOf: `${asOf}` };
          const version = await resolveVersion(model.pool, request);
          const place = { newer: offset, older: all.length - offset - length };
          const { order, start } = await nearestStart(reads.prepared, version, place, 0);
          const skipped = "offset" in start ? start.offset : Number.NaN;
          expect(skipped).toBeLessThan(1.5 * OF_BLOCK + largestTime(all));
          const selection = { version, order, filters: {} };
          const reversed = order === "time-asc";
          const page = await readPage(reads, selection, start, length, { reversed });
          expect(eventsOf(page)).toEqual(expected(offset, length, asOf));
        },
      ),
      { numRuns: runs(100, 1 / 10) },
    );
  });

  type Block = { readonly since: string; readonly events: number; readonly present: number };

  /** The blocks of a version, and how many of its events lie in each. */
  async function blocksAt({ key }: ModelCatalogue, version: number): Promise<Block[]> {
    const visible = "revision_from <= $2 and (revision_to is null or revision_to > $2)";
    const { rows } = await model.writer.query<Block>(
      `with visible as (
         select since::text, since as start, lead(since, 1, 'infinity') over (order by since) as until, events
         from read_model.event_blocks where catalogue_key = $1 and ${visible}
       )
       select since, events, (
         select count(*)::int from read_model.seismic_events
         where catalogue_key = $1 and ${visible} and time >= start and time < until
       ) as present
       from visible order by start`,
      [key, version],
    );
    return rows;
  }

  test("counts on blocks that count all events of every version, whatever is added, changed, removed or given up", async () => {
    const anyCommit = fc.record({
      add: fc.array(arbitraryRecord, { maxLength: 60 }),
      /** Of every so many events. */
      update: fc.integer({ min: 2, max: 40 }),
      remove: fc.integer({ min: 2, max: 40 }),
      isAbandoned: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(4, 9, 30),
        fc.array(anyCommit, { minLength: 1, maxLength: 6 }),
        async (eventsOfBlock, commits) => {
          const changing = await createModelCatalogue(model.writer, { eventsOfBlock });
          for (const { add, update, remove, isAbandoned } of commits) {
            const present = changing.events();
            const [{ time } = { time: "2020-01-01T00:00:00Z" }] = add;
            const isUpdated = (_: unknown, i: number) => i % update === 0;
            const isRemoved = (_: unknown, i: number) => i % update !== 0 && i % remove === 0;
            const change = {
              add,
              update: present.filter(isUpdated).map((one) => ({ ...one, time })),
              remove: present.filter(isRemoved).map(({ id }) => id),
            };
            if (!isAbandoned) await changing.commit(change);
            else {
              await changing.open(change);
              await changing.abandon();
            }
          }
          for (const [version, events] of changing.versions) {
            const blocks = await blocksAt(changing, version);
            expect(blocks.map((one) => one.events)).toEqual(blocks.map((one) => one.present));
            expect(blocks.reduce((sum, one) => sum + one.events, 0)).toBe(events.size);
          }
        },
      ),
      { numRuns: runs(60) },
    );
    // A block of one time is not divided, and one that events were added to after it is.
    const growing = await createModelCatalogue(model.writer, { eventsOfBlock: 8 });
    await growing.commit({ add: Array.from({ length: 20 }, () => at(TIME)) });
    expect(await blocksAt(growing, 1)).toEqual([{ since: "-infinity", events: 20, present: 20 }]);
    const later = (_: unknown, i: number) => at(`2016-11-14T00:00:${i + 10}Z`);
    await growing.commit({ add: Array.from({ length: 6 }, later) });
    expect((await blocksAt(growing, 2)).map(({ events }) => events)).toEqual([20, 2, 2, 2]);
  });

  test("has the same blocks where they are made later, version by version", async () => {
    const { key } = catalogue;
    const blocks = async () => {
      const { rows } = await model.writer.query(
        "select * from read_model.event_blocks where catalogue_key = $1 order by since, revision_from",
        [key],
      );
      return rows;
    };
    const rows = await blocks();
    expect(rows.length).toBeGreaterThan(30);
    const client = await model.writer.connect();
    await client.query("begin");
    await client.query("set local search_path to read_model");
    await client.query("delete from event_blocks where catalogue_key = $1", [key]);
    for (const version of catalogue.versions.keys()) {
      await client.query("select keep_event_blocks($1, $2, $3)", [key, version, OF_BLOCK]);
    }
    await client.query("commit");
    client.release();
    expect(await blocks()).toEqual(rows);
  });

  test("is 404 of a catalogue that was deleted meanwhile, wherever it lies", async () => {
    const deleted = await createModelCatalogue(model.writer, { eventsOfBlock: 20 });
    await deleted.commit({ add: fc.sample(arbitraryRecord, { numRuns: 300, seed: 6 }) });
    const request = { catalogueId: deleted.id, reader: SERVICE };
    const version = await resolveVersion(model.pool, request);
    await deleted.remove();
    for (const newer of [0, 130]) {
      const place = { newer, older: 290 - newer };
      const { order, start } = await nearestStart(model.reads.prepared, version, place, 0);
      const page = readPage(model.reads, { version, order, filters: {} }, start, 10);
      await expect(page).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
  });
});

describe("pages at once", () => {
  afterEach(() => vi.useRealTimers());

  test("that are more than there are connections wait for their turn, however long the others take", async () => {
    const catalogue = await catalogueOf(1);
    const { pool } = model.reads;
    const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    const release = () => held.splice(0).forEach((client) => void client.release());
    onTestFinished(release);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const answer = model.api.filterEvents({ id: catalogue.id });
    await expect.poll(() => pool.waitingCount).toBe(1);
    vi.advanceTimersByTime(55_000);
    vi.useRealTimers();
    release();
    expect((await answer).body.count).toBe(1);
  });
});
