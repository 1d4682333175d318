import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { FilteredQuery } from "#contracts/http/events/seismic-events.ts";
import type { EventOrder } from "#contracts/query/filter-parameters.ts";
import { runs } from "../../support/runs.ts";
import { type Parameters, refusal } from "./api-reads.ts";
import {
  arbitraryLatitude,
  arbitraryLongitude,
  arbitraryMagnitude,
  arbitraryRecord,
  arbitraryTime,
} from "./arbitrary-events.ts";
import { distanceKm, inOrder, listed, listedWithSources } from "./event-oracle.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { at, expected, useFilteredEvents } from "./use-filtered-events.ts";

const { model, catalogueOf, filtered } = useFilteredEvents();

const ORDERS: EventOrder[] = ["time", "time-asc", "magnitude", "magnitude-asc"];

function range<T extends number | string>(
  low: string,
  high: string,
  value: fc.Arbitrary<T>,
  before: (a: T, b: T) => boolean = (a, b) => a <= b,
): fc.Arbitrary<Parameters> {
  const both = fc.tuple(value, value).map(([a, b]) => (before(a, b) ? [a, b] : [b, a]));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    both.map(([a = "", b = ""]) => ({ [low]: a, [high]: b })),
    value.map((a) => ({ [low]: a })),
    value.map((b) => ({ [high]: b })),
  );
}

function optional<T extends number | string>(
  name: string,
  value: fc.Arbitrary<T>,
): fc.Arbitrary<Parameters> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant({}) },
    value.map((v) => ({ [name]: v })),
  );
}

const list = (...values: string[]) =>
  fc.subarray(values, { minLength: 1 }).map((chosen) => chosen.join(","));

const arbitraryFilters: fc.Arbitrary<Parameters> = fc
  .tuple(
    range("minMagnitude", "maxMagnitude", arbitraryMagnitude),
    range("minDepth", "maxDepth", fc.integer({ min: -10, max: 700 })),
    range("startTime", "endTime", arbitraryTime, (a, b) => Date.parse(a) <= Date.parse(b)),
    range("minLatitude", "maxLatitude", arbitraryLatitude),
    // Any two longitudes are a box: the way east from the first to the second.
    range("minLongitude", "maxLongitude", arbitraryLongitude, () => true),
    optional("eventType", list("Earthquake", "QUARRY BLAST", "crash")),
    optional("magnitudeType", list("ml", "MW", "mü", "M%")),
    optional("evaluationStatus", list("final", "Reviewed")),
    optional("evaluationMode", list("manual", "AUTOMATIC")),
    optional("maxAzimuthalGap", fc.integer({ min: 0, max: 360 })),
    optional("minUsedStationCount", fc.integer({ min: 0, max: 60 })),
    optional("minUsedPhaseCount", fc.integer({ min: 0, max: 90 })),
    optional("maxStandardError", fc.double({ min: 0, max: 2, noNaN: true })),
    optional("maxMagnitudeUncertainty", fc.double({ min: 0, max: 1, noNaN: true })),
    optional("orderBy", fc.constantFrom(...ORDERS)),
  )
  .map((parts) => Object.assign({}, ...parts) as Parameters)
  // Two times in one millisecond may come in the wrong order, which is refused.
  .filter((query) => FilteredQuery.safeParse(texts(query)).success);

function texts(query: Parameters): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

/** An event's members, or none where it is not merged. */
const sourceEvents = fc.option(
  fc.array(
    fc.record({
      catalogue_id: fc.uuid(),
      event_id: fc.uuid(),
      source_id: fc.option(fc.string()),
      source: fc.string({ minLength: 1 }),
      time_difference: fc.integer(),
      distance: fc.nat(),
      quality_score: fc.nat(100),
      chosen: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  ),
);

test("lists tell how many members an event has, and name them where they are asked to", async () => {
  const catalogue = await createModelCatalogue(model.writer);
  const merged = fc.record({ record: arbitraryRecord, source_events: sourceEvents });
  const records = fc.sample(merged, { numRuns: 100, seed: 7 });
  await catalogue.commit({
    add: records.map(({ record, source_events }) => ({ ...record, source_events })),
  });
  const ordered = inOrder(catalogue.events(), "time");
  expect(ordered.some(({ source_events }) => (source_events?.length ?? 0) > 1)).toBe(true);
  for (const [query, form] of [
    [{}, listed],
    [{ include: "source_events" }, listedWithSources],
  ] as const) {
    const events = ordered.map(form);
    expect((await filtered(catalogue, query)).events).toEqual(events);
    const { id } = catalogue;
    const page = await model.api.listEvents({ id }, { ...query, page: 3, pageSize: 20 });
    expect(page.body.events).toEqual(events.slice(40, 60));
    const offset = await model.api.listEvents({ id }, { ...query, offset: 90, limit: 20 });
    expect(offset.body.events).toEqual(events.slice(90));
    const cursor = await model.api.listEvents({ id }, { ...query, direction: "asc", limit: 10 });
    expect(cursor.body.events).toEqual(events.toReversed().slice(0, 10));
  }
});

describe("of a catalogue of many kinds of events", () => {
  let catalogue: ModelCatalogue;
  beforeAll(async () => {
    catalogue = await catalogueOf(...fc.sample(arbitraryRecord, { numRuns: 400, seed: 5 }));
  });

  test("exactly the events that satisfy every filter are answered, in the order asked for", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryFilters, async (query) => {
        const events = expected(catalogue, query);
        expect(await filtered(catalogue, query)).toEqual({
          events,
          count: events.length,
          truncated: false,
        });
      }),
      { numRuns: runs(400) },
    );
  });

  /** Both what is few events and what is many must be among what the bounds hold. */
  async function expectWhole(
    arbitraryBounds: fc.Arbitrary<Parameters>,
    widest: Parameters,
  ): Promise<void> {
    const lengths = new Set<"few" | "many">();
    await fc.assert(
      fc.asyncProperty(
        arbitraryBounds,
        fc.constantFrom(...ORDERS),
        fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constantFrom(199, 200, 201, 10_000)),
        async (bounds, orderBy, limit) => {
          const query = { ...bounds, orderBy, limit };
          const events = expected(catalogue, query);
          lengths.add(events.length > 200 ? "many" : "few");
          expect(await filtered(catalogue, query)).toMatchObject({
            events: events.slice(0, limit),
            count: Math.min(limit, events.length),
            truncated: events.length > limit,
          });
        },
      ),
      { numRuns: runs(200), examples: [[widest, "time", 10_000]] },
    );
    expect(lengths).toEqual(new Set(["few", "many"]));
  }

  test("a span of time is answered whole, whether it holds few events or many", async () => {
    const times = catalogue.events().map(({ time }) => time);
    const span = fc
      .tuple(fc.constantFrom(...times), fc.constantFrom(...times))
      .map(([a, b]) => (Date.parse(a) <= Date.parse(b) ? [a, b] : [b, a]))
      .map(([startTime = "", endTime = ""]) => ({ startTime, endTime }))
      .filter((query) => FilteredQuery.safeParse(query).success);
    await expectWhole(
      fc.oneof(
        span,
        span.map(({ startTime }) => ({ startTime })),
      ),
      { startTime: "1000-01-01" },
    );
  });

  test("a box is answered whole, whether it holds few events or many", async () => {
    const bounds = (low: string, high: string, value: fc.Arbitrary<number>) =>
      fc
        .tuple(value, value)
        .map(([a, b]) => ({ [low]: String(Math.min(a, b)), [high]: String(Math.max(a, b)) }));
    const latitudes = bounds("minLatitude", "maxLatitude", fc.integer({ min: -90, max: 90 }));
    const longitudes = bounds("minLongitude", "maxLongitude", fc.integer({ min: -180, max: 180 }));
    const box = fc.tuple(latitudes, longitudes).map((both) => Object.assign({}, ...both));
    await expectWhole(box, { minLatitude: "-90", maxLatitude: "90" });
  });

  test("a circle holds the events whose great-circle distance is within its radii", async () => {
    const place = fc.record({ latitude: arbitraryLatitude, longitude: arbitraryLongitude });
    const circle = fc
      .tuple(
        place,
        range("minRadiusKm", "maxRadiusKm", fc.double({ min: 0, max: 20_015, noNaN: true })),
      )
      .filter(([, radii]) => Object.keys(radii).length > 0);
    // A metre: the haversine formula loses digits towards the antipode.
    const toleranceKm = 1e-3;
    await fc.assert(
      fc.asyncProperty(circle, async ([centre, radii]) => {
        const { events } = await filtered(catalogue, { ...centre, ...radii });
        const { minRadiusKm = 0, maxRadiusKm = Number.POSITIVE_INFINITY } = radii;
        const found = new Set(events.map((event) => event.id));
        for (const event of catalogue.events()) {
          const distance = distanceKm(event, centre);
          const inside = distance - Number(minRadiusKm);
          const outside = Number(maxRadiusKm) - distance;
          const margin = Math.min(inside, outside);
          if (Math.abs(margin) > toleranceKm) expect(found.has(event.id)).toBe(margin > 0);
        }
      }),
      { numRuns: runs(150) },
    );
  });

  test("a small circle holds its events also across the antimeridian and around the poles", async () => {
    const seams = { latitude: [-90, -89.9995, -60, 0, 89.99, 90], longitude: [-180, -90, 0, 180] };
    const near = (values: readonly number[], limit: number) =>
      fc
        .tuple(fc.constantFrom(...values), fc.double({ min: -0.3, max: 0.3, noNaN: true }))
        .map(([value, apart]) => value + apart)
        .filter((value) => Math.abs(value) <= limit);
    const place = fc.record({
      latitude: near(seams.latitude, 90),
      longitude: near(seams.longitude, 180),
    });
    const places = fc.sample(place, { numRuns: 600, seed: 12 });
    const close = await catalogueOf(...places.map((p) => at(p.latitude, p.longitude)));
    // A millimetre: nearer to the edge the two ways of reckoning may differ.
    const toleranceKm = 1e-6;
    const circle = fc.tuple(place, fc.double({ min: 0, max: 60, noNaN: true }));
    let held = 0;
    await fc.assert(
      fc.asyncProperty(circle, async ([centre, maxRadiusKm]) => {
        const { events } = await filtered(close, { ...centre, maxRadiusKm });
        const found = new Set(events.map((event) => event.id));
        held += found.size;
        for (const event of close.events()) {
          const margin = maxRadiusKm - distanceKm(event, centre);
          if (Math.abs(margin) > toleranceKm) expect(found.has(event.id)).toBe(margin > 0);
        }
      }),
      { numRuns: runs(150) },
    );
    expect(held).toBeGreaterThan(0);
  });

  test("a circle, a box and other filters are all satisfied at once", async () => {
    const query = {
      latitude: 0,
      longitude: 179.5,
      maxRadiusKm: 9000,
      minLongitude: 170,
      maxLongitude: -100,
      minLatitude: -60,
      minMagnitude: 1,
    };
    const { events } = await filtered(catalogue, query);
    expect(events.length).toBeGreaterThan(0);
    expect(events).toEqual(expected(catalogue, query));
  });

  test.each(ORDERS)(
    "cut off by its limit, it goes on by cursor in the order %s at the same version",
    async (orderBy) => {
      const walked = await catalogueOf(...fc.sample(arbitraryRecord, { numRuns: 60, seed: 8 }));
      const query = { orderBy, minLatitude: -45.5, limit: 7 };
      const events = [];
      let answer = await filtered(walked, query);
      while (answer.nextCursor !== undefined) {
        expect(answer).toMatchObject({ truncated: true, count: 7 });
        events.push(...answer.events);
        const [event] = walked.events();
        await walked.commit({ add: [at(10, 10)], remove: event ? [event.id] : [] });
        answer = await filtered(walked, { cursor: answer.nextCursor });
      }
      expect(answer.truncated).toBe(false);
      expect([...events, ...answer.events]).toEqual(expected(walked, query, 1));
    },
  );

  test("filters that a cursor's request repeats must agree with it", async () => {
    const query = { minMagnitude: 0, magnitudeType: "ml,mw", endTime: "2030-01-01" };
    const { nextCursor: cursor = "" } = await filtered(catalogue, { ...query, limit: 1 });
    const agreeing = [
      query,
      { minMagnitude: "0.0" },
      { magnitudeType: "ML,MW" },
      { orderBy: "time" },
    ];
    for (const repeated of agreeing) {
      await expect(filtered(catalogue, { ...repeated, cursor })).resolves.toMatchObject({
        count: 1,
      });
    }
    const other = [
      { minMagnitude: 1 },
      { maxMagnitude: 9 },
      { magnitudeType: "ml" },
      { orderBy: "magnitude" },
    ];
    for (const repeated of other) {
      const read = filtered(catalogue, { ...repeated, cursor });
      expect((await refusal(read)).code).toBe("INVALID_CURSOR");
    }
  });

  test("the cursor of a filtered walk is no cursor of the other endpoint", async () => {
    const { nextCursor: cursor = "" } = await filtered(catalogue, { limit: 1 });
    const read = model.api.listEvents({ id: catalogue.id }, { cursor });
    expect((await refusal(read)).code).toBe("INVALID_CURSOR");
  });
});
