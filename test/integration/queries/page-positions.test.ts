import fc from "fast-check";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { EventOrder } from "#contracts/query/filter-parameters.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { readPage } from "#projections/queries/events/event-pages.ts";
import type { WrittenEvents } from "#projections/queries/events/event-writer.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import type { EventReads } from "#projections/queries/pages-by-number/event-reads.ts";
import { sliceOfEvents } from "#projections/queries/pages-by-number/event-slices.ts";
import type { InTurn, KeyLimits } from "#projections/queries/pages-by-number/key-memory.ts";
import {
  contentOf,
  type KeyWalk,
  walkKeys,
} from "#projections/queries/pages-by-number/key-walk.ts";
import { createPagePositions } from "#projections/queries/pages-by-number/page-positions.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { runs } from "../../support/runs.ts";
import { arbitraryRecord } from "./arbitrary-events.ts";
import { inOrder, listed, satisfies } from "./event-oracle.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
const FIRST = 2_500;
const LIMITS: KeyLimits = { stride: 40, atOnce: 5, max: 1_000 };
let catalogue: ModelCatalogue;

/** Versions 1 to 4: many events of one time, of which some change their time, and some go. */
beforeAll(async () => {
  catalogue = await createModelCatalogue(model.writer);
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

const atOnce: InTurn = (walk) => walk();

/** What the service reads with; `onWalk` is told of each part of a walk. */
function readsWith(limits: KeyLimits, onWalk: (part: KeyWalk) => void): EventReads {
  const { prepared } = model.reads;
  const positions = createPagePositions(
    {
      walk: async (part) => {
        onWalk(part);
        return walkKeys(prepared, part);
      },
      contentOf: (version) => contentOf(prepared, version),
    },
    limits,
  );
  return { ...model.reads, positions };
}

let reads: EventReads;
const walks: KeyWalk[] = [];
beforeEach(() => {
  walks.length = 0;
  reads = readsWith(LIMITS, (part) => walks.push(part));
});

type Slice = { readonly offset: number; readonly limit: number; readonly asOf?: string };

const eventsOf = ({ json }: WrittenEvents): unknown => JSON.parse(`[${json.join(",")}]`);

async function read({ id }: ModelCatalogue, slice: Slice, inTurn = atOnce): Promise<unknown> {
  const request = { catalogueId: id, reader: SERVICE, ...slice };
  return eventsOf((await sliceOfEvents(reads, request, inTurn)).events);
}

function expected(of: ModelCatalogue, { offset, limit, asOf }: Slice): unknown {
  const version = asOf === undefined ? of.latest() : Number(asOf);
  return inOrder(of.events(version), "time")
    .slice(offset, offset + limit)
    .map(listed);
}

test("a slice of any version is the same wherever positions are, whatever is forgotten meanwhile", async () => {
  const slice = fc.record({
    offset: fc.nat({ max: 3_000 }),
    limit: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1000 })),
    asOf: fc.option(fc.constantFrom("1", "2", "3", "4"), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        stride: fc.integer({ min: 1, max: 90 }),
        atOnce: fc.integer({ min: 1, max: 30 }),
        max: fc.constantFrom(1, 30, 10_000),
      }),
      fc.array(slice, { minLength: 1, maxLength: 12 }),
      async (limits, slices) => {
        reads = readsWith(limits, () => undefined);
        const asked = slices.map(({ asOf, ...rest }) => (asOf ? { asOf, ...rest } : rest));
        // The first half one after the other, the others at once.
        const [first, others] = [asked.slice(0, 6), asked.slice(6)];
        for (const one of first) {
          expect(await read(catalogue, one)).toEqual(expected(catalogue, one));
        }
        const found = await Promise.all(others.map((one) => read(catalogue, one)));
        expect(found).toEqual(others.map((one) => expected(catalogue, one)));
      },
    ),
    { numRuns: runs(40) },
  );
});

test("a page from a position is its slice in every order and with filters", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...EventOrder.options),
      fc.constantFrom<EventFilters>(
        {},
        { minMagnitude: 0 },
        { minLatitude: -45.5 },
        { eventType: ["explosion"] },
      ),
      fc.integer({ min: 1, max: 4 }),
      fc.nat({ max: 1_500 }),
      async (order, filters, at, offset) => {
        const version = await resolveVersion(model.pool, {
          catalogueId: catalogue.id,
          reader: SERVICE,
          asOf: String(at),
        });
        const selection = { version, order, filters };
        const all = inOrder(
          catalogue.events(at).filter((event) => satisfies(event, filters)),
          order,
        );
        const { start } = await reads.positions.nearest(
          [{ selection, offset, events: all.length }],
          atOnce,
        );
        const { stride } = LIMITS;
        const isBehindPosition = offset >= stride && all.length >= offset - (offset % stride);
        expect(start).toEqual(
          isBehindPosition ? { after: expect.anything(), offset: offset % stride } : { offset },
        );
        const page = await readPage(reads, selection, start, 30);
        expect(eventsOf(page)).toEqual(all.slice(offset, offset + 30).map(listed));
      },
    ),
    { numRuns: runs(80) },
  );
});

test("those who ask at once for the same page wait for the same walk, in parts", async () => {
  const slice = { offset: 1_000, limit: 20, asOf: "1" };
  const found = await Promise.all(Array.from({ length: 20 }, () => read(catalogue, slice)));
  expect(found).toEqual(found.map(() => expected(catalogue, slice)));
  const { stride, atOnce: most } = LIMITS;
  expect(walks.every(({ count }) => count <= most)).toBe(true);
  expect(walks.reduce((sum, { count }) => sum + count, 0)).toBe(Math.floor(FIRST / stride));
});

test("those who leap at once to pages on either side of the middle walk past no event twice", async () => {
  const slices = [1_000, 1_400, 1_200, 1_300].map((offset) => ({ offset, limit: 20, asOf: "1" }));
  const found = await Promise.all(slices.map((slice) => read(catalogue, slice)));
  expect(found).toEqual(slices.map((slice) => expected(catalogue, slice)));
  const walked = walks.reduce((sum, { count }) => sum + count, 0);
  expect(walked).toBeLessThanOrEqual(FIRST / LIMITS.stride + 2 * LIMITS.atOnce);
});

test("pages walk to where those before have not been, from the nearer end; a leap walks all the rest", async () => {
  const found = async (offset: number) => {
    walks.length = 0;
    const slice = { offset, limit: 20, asOf: "1" };
    expect(await read(catalogue, slice)).toEqual(expected(catalogue, slice));
    return walks.map(({ selection, count }) => `${selection.order} ${count}`);
  };
  expect(await found(39)).toEqual([]);
  expect(await found(130)).toEqual(["time 3"]);
  expect(await found(210)).toEqual(["time 2"]);
  expect(await found(85)).toEqual([]);
  expect(await found(FIRST - 20)).toEqual([]);
  expect(await found(FIRST - 20 - 85)).toEqual(["time-asc 2"]);
  expect(await found(FIRST / 2)).toEqual(Array.from({ length: 11 }, () => "time 5"));
  for (const offset of [300, 900, 1_600, 2_300]) expect(await found(offset)).toEqual([]);
});

test("a version that follows leaves the positions of the one before as they are", async () => {
  const growing = await createModelCatalogue(model.writer);
  const records = fc.sample(arbitraryRecord, { numRuns: 900, seed: 5 });
  await growing.commit({ add: records.slice(0, 600) });
  const slice = { offset: 290, limit: 10 };
  expect(await read(growing, slice)).toEqual(expected(growing, slice));
  const [event] = growing.events();
  await growing.commit({ add: records.slice(600), ...(event && { remove: [event.id] }) });
  walks.length = 0;
  const old = { ...slice, asOf: "1" };
  expect(await read(growing, old)).toEqual(expected(growing, old));
  expect(walks).toEqual([]);
  expect(await read(growing, slice)).toEqual(expected(growing, slice));
  expect(walks).not.toEqual([]);
});

test("a version that comes a second time, with other content, is not read by the positions of the first", async () => {
  const restored = await createModelCatalogue(model.writer);
  const add = fc.sample(arbitraryRecord, { numRuns: 400, seed: 6 });
  await restored.commit({ add });
  const slice = { offset: 200, limit: 10 };
  await read(restored, slice);
  // The same catalogue with as many events in its version, of which half have become the latest.
  const time = "2030-01-01T00:00:00Z";
  const events = restored.events().map((event, i) => (i % 2 === 0 ? { ...event, time } : event));
  await model.writer.query(
    `update read_model.seismic_events set time = $3, time_digits = 0
     where catalogue_key = $1 and event_id = any($2)`,
    [restored.key, events.filter((event) => event.time === time).map(({ id }) => id), time],
  );
  await model.writer.query(
    "update read_model.catalogue_versions set created_at = created_at + interval '1 s' where catalogue_key = $1",
    [restored.key],
  );
  const now = inOrder(events, "time").slice(200, 210).map(listed);
  for (const asOf of [undefined, "1"]) {
    const asked = { ...slice, ...(asOf && { asOf }) };
    // Once without positions, and by those of now.
    for (let i = 0; i < 2; i += 1) expect(await read(restored, asked)).toEqual(now);
  }
  walks.length = 0;
  expect(await read(restored, slice)).toEqual(now);
  expect(walks).toEqual([]);
});

test("a walk that its asker leaves is given up, and gone on with for the next", async () => {
  const gone = new Error("gone");
  let turns = 0;
  const leaving: InTurn = async (walk) => {
    turns += 1;
    if (turns > 2) throw gone;
    await walk();
  };
  const slice = { offset: 1_000, limit: 10, asOf: "1" };
  await expect(read(catalogue, slice, leaving)).rejects.toBe(gone);
  expect(walks).toHaveLength(2);
  expect(await read(catalogue, slice)).toEqual(expected(catalogue, slice));
  expect(walks).toHaveLength(Math.ceil(FIRST / LIMITS.stride / LIMITS.atOnce));
});

test("a walk that fails fails those who wait for it alone", async () => {
  const fault = new Error("no connection");
  let broken = true;
  reads = readsWith(LIMITS, () => {
    if (broken) throw fault;
  });
  const slice = { offset: 1_000, limit: 10, asOf: "1" };
  const failed = await Promise.allSettled([read(catalogue, slice), read(catalogue, slice)]);
  expect(failed.map((result) => result.status === "rejected" && result.reason)).toEqual([
    fault,
    fault,
  ]);
  broken = false;
  expect(await read(catalogue, slice)).toEqual(expected(catalogue, slice));
});

test("a catalogue that was deleted meanwhile is 404, however many of its positions are known", async () => {
  const deleted = await createModelCatalogue(model.writer);
  const time = "2016-11-13T11:02:56Z";
  const add = Array.from({ length: 300 }, () => emptyRecord({ time, latitude: 0, longitude: 0 }));
  await deleted.commit({ add });
  const slice = { offset: 130, limit: 10 };
  expect(await read(deleted, slice)).toHaveLength(10);
  await deleted.remove();
  for (const offset of [130, 140]) {
    await expect(read(deleted, { ...slice, offset })).rejects.toMatchObject({ code: "NOT_FOUND" });
  }
});
