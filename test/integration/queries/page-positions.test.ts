import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { readPage } from "#projections/queries/events/event-pages.ts";
import type { WrittenEvents } from "#projections/queries/events/event-writer.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import { sliceOfEvents } from "#projections/queries/pages-by-number/event-slices.ts";
import { nearestStart } from "#projections/queries/pages-by-number/nearest-start.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { runs } from "../../support/runs.ts";
import { arbitraryRecord } from "./arbitrary-events.ts";
import { inOrder, listed } from "./event-oracle.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
const FIRST = 2_500;
const OF_BLOCK = 40;
let catalogue: ModelCatalogue;

/** Versions 1 to 4: many events of one time, of which some change their time, and some go. */
beforeAll(async () => {
  catalogue = await createModelCatalogue(model.writer, { eventsOfBlock: OF_BLOCK });
  const records = fc.sample(arbitraryRecord, { numRuns: FIRST + 600, seed: 27 });
  await catalogue.commit({ add: records.slice(0, FIRST) });
  for (let i = 0; i < 3; i += 1) {
    const present = catalogue.events();
    const update = present
      .filter((_, at) => at % 7 === i)
      .map((event, at) => ({ ...event, time: records[at]?.time ?? event.time }));
    const remove = present.filter((_, at) => at % 7 === i + 3).map(({ id }) => id);
    await catalogue.commit({
      add: records.slice(FIRST + 200 * i, FIRST + 200 * (i + 1)),
      update,
      remove: remove.slice(0, 300),
    });
  }
});

const eventsOf = ({ json }: WrittenEvents): unknown => JSON.parse(`[${json.join(",")}]`);

function expected(of: ModelCatalogue, offset: number, limit: number, version = of.latest()) {
  return inOrder(of.events(version), "time")
    .slice(offset, offset + limit)
    .map(listed);
}

async function read({ id }: ModelCatalogue, offset: number, limit: number, asOf?: number) {
  const request = { catalogueId: id, reader: SERVICE, offset, limit };
  const slice = await sliceOfEvents(model.reads, { ...request, ...(asOf && { asOf: `${asOf}` }) });
  return eventsOf(slice.events);
}

test("a slice of any version is the same, wherever it lies", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 3_000 }),
      fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1000 })),
      fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      async (offset, limit, asOf) => {
        expect(await read(catalogue, offset, limit, asOf)).toEqual(
          expected(catalogue, offset, limit, asOf),
        );
      },
    ),
    { numRuns: runs(100) },
  );
});

test("a page begins at the nearest edge of its block, however near to the ends it is", async () => {
  const { reads } = model;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.nat({ max: 2_400 }),
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
        const reversed = order === "time-asc";
        const selection = { version, order, filters: {} };
        const page = await readPage(reads, selection, start, length, { reversed });
        expect(eventsOf(page)).toEqual(expected(catalogue, offset, length, asOf));
      },
    ),
    { numRuns: runs(100) },
  );
});

/** The most events of one time. */
function largestTime(events: readonly { readonly time: string }[]): number {
  const counts = new Map<number, number>();
  for (const { time } of events) {
    const at = Date.parse(time);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  return Math.max(...counts.values());
}

type Block = { readonly since: string; readonly events: number; readonly present: number };

/** The blocks of a version, and how many of its events lie in each. */
async function blocksAt({ key }: ModelCatalogue, version: number): Promise<Block[]> {
  const { rows } = await model.writer.query<Block>(
    `with visible as (
       select since::text, since as start, lead(since, 1, 'infinity') over (order by since) as until, events
       from read_model.event_blocks
       where catalogue_key = $1 and revision_from <= $2 and (revision_to is null or revision_to > $2)
     )
     select since, events, (
       select count(*)::int from read_model.seismic_events
       where catalogue_key = $1 and revision_from <= $2 and (revision_to is null or revision_to > $2)
         and time >= start and time < until
     ) as present
     from visible order by start`,
    [key, version],
  );
  return rows;
}

async function blockRows({ key }: ModelCatalogue): Promise<unknown[]> {
  const { rows } = await model.writer.query(
    `select * from read_model.event_blocks where catalogue_key = $1 order by since, revision_from`,
    [key],
  );
  return rows;
}

const arbitraryCommit = fc.record({
  add: fc.array(arbitraryRecord, { maxLength: 60 }),
  /** Of every so many events. */
  update: fc.integer({ min: 2, max: 40 }),
  remove: fc.integer({ min: 2, max: 40 }),
  isAbandoned: fc.boolean(),
});

test("the blocks of every version count all of its events, whatever is added, changed, removed or given up", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(4, 9, 30),
      fc.array(arbitraryCommit, { minLength: 1, maxLength: 6 }),
      async (eventsOfBlock, commits) => {
        const changing = await createModelCatalogue(model.writer, { eventsOfBlock });
        for (const { add, update, remove, isAbandoned } of commits) {
          const present = changing.events();
          const [{ time } = { time: "2020-01-01T00:00:00Z" }] = add;
          const change = {
            add,
            update: present.filter((_, i) => i % update === 0).map((one) => ({ ...one, time })),
            remove: present
              .filter((_, i) => i % update !== 0 && i % remove === 0)
              .map(({ id }) => id),
          };
          if (isAbandoned) {
            await changing.open(change);
            await changing.abandon();
          } else await changing.commit(change);
        }
        for (const [version, events] of changing.versions) {
          const blocks = await blocksAt(changing, version);
          expect(blocks.map((block) => block.events)).toEqual(blocks.map((block) => block.present));
          expect(blocks.reduce((sum, block) => sum + block.events, 0)).toBe(events.size);
        }
      },
    ),
    { numRuns: runs(60) },
  );
});

test("blocks made later, version by version, are those that were made with each", async () => {
  const rows = await blockRows(catalogue);
  expect(rows.length).toBeGreaterThan(100);
  await model.writer.query("delete from read_model.event_blocks where catalogue_key = $1", [
    catalogue.key,
  ]);
  const client = await model.writer.connect();
  await client.query("begin");
  await client.query("set local search_path to read_model");
  for (const version of catalogue.versions.keys()) {
    await client.query("select keep_event_blocks($1, $2, $3)", [catalogue.key, version, OF_BLOCK]);
  }
  await client.query("commit");
  client.release();
  expect(await blockRows(catalogue)).toEqual(rows);
});

test("a block of one time is not divided, and one that events were added to after it is", async () => {
  const growing = await createModelCatalogue(model.writer, { eventsOfBlock: 8 });
  const at = (time: string) => emptyRecord({ time, latitude: 0, longitude: 0 });
  await growing.commit({ add: Array.from({ length: 20 }, () => at("2016-11-13T11:02:56Z")) });
  expect(await blocksAt(growing, 1)).toEqual([{ since: "-infinity", events: 20, present: 20 }]);
  const later = (second: number) => at(`2016-11-14T00:00:${second + 10}Z`);
  await growing.commit({ add: Array.from({ length: 6 }, (_, i) => later(i)) });
  expect((await blocksAt(growing, 2)).map(({ events }) => events)).toEqual([20, 2, 2, 2]);
});

test("a catalogue that was deleted meanwhile is 404, wherever the page lies", async () => {
  const deleted = await createModelCatalogue(model.writer, { eventsOfBlock: 20 });
  const add = fc.sample(arbitraryRecord, { numRuns: 300, seed: 6 });
  await deleted.commit({ add });
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
