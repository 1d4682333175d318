import fc from "fast-check";
import { sql } from "slonik";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Position, type Shape, shapeOf } from "#contracts/geometry/shape.ts";
import { FilteredQuery } from "#contracts/http/events.ts";
import { type Condition, type Expression, HELD, negated } from "#contracts/query/expression.ts";
import type { EventOrder } from "#contracts/query/parameters.ts";
import { predicateOf } from "#contracts/query/predicate.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { conditionOf } from "#projections/read/conditions.ts";
import { withinShape } from "#projections/read/shape-conditions.ts";
import { rowsOf } from "#projections/read/versions.ts";
import {
  arbitraryLatitude,
  arbitraryLongitude,
  arbitraryMagnitude,
  arbitraryRecord,
  arbitraryTime,
} from "../../support/arbitrary-events.ts";
import {
  distanceKm,
  inOrder,
  listed,
  listedWithSources,
  satisfies,
} from "../../support/event-oracle.ts";
import { closed, isPlaceIn, shapeAndPlaces } from "../../support/geometry.ts";
import { runs } from "../../support/runs.ts";
import type { Parameters } from "./api-reads.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
const ORDERS: EventOrder[] = ["time", "time-asc", "magnitude", "magnitude-asc"];

const at = (latitude: number, longitude: number) =>
  emptyRecord({ time: "2016-11-13T11:02:56Z", latitude, longitude });

async function catalogueOf(...records: SeismicEventRecord[]): Promise<ModelCatalogue> {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: records });
  return catalogue;
}

async function filtered({ id }: ModelCatalogue, query: Parameters = {}) {
  return (await model.api.filterEvents({ id }, query)).body;
}

const texts = (query: Parameters) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

/** What `/filtered` says of the same filters, done in memory. */
function expected(catalogue: ModelCatalogue, query: Parameters, version?: number) {
  const filters = FilteredQuery.parse(texts(query));
  const matching = catalogue.events(version).filter((event) => satisfies(event, filters));
  return inOrder(matching, filters.orderBy ?? "time").map(listed);
}

/** Two bounds, the lower one first unless any two are in order; either may be absent, often both. */
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

const optional = (name: string, value: fc.Arbitrary<number | string>): fc.Arbitrary<Parameters> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant({}) },
    value.map((v) => ({ [name]: v })),
  );
const list = (...values: string[]) =>
  fc.subarray(values, { minLength: 1 }).map((chosen) => chosen.join(","));
const upTo = (max: number) => fc.double({ min: 0, max, noNaN: true });

const anyFilters: fc.Arbitrary<Parameters> = fc
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
    optional("maxStandardError", upTo(2)),
    optional("maxMagnitudeUncertainty", upTo(1)),
    optional("orderBy", fc.constantFrom(...ORDERS)),
  )
  .map((parts) => Object.assign({}, ...parts) as Parameters)
  // Two times in one millisecond may come in the wrong order, which is refused.
  .filter((query) => FilteredQuery.safeParse(texts(query)).success);

test("lists tell how many members an event has, and name them where they are asked to", async () => {
  const member = fc.record({
    catalogue_id: fc.uuid(),
    event_id: fc.uuid(),
    source_id: fc.option(fc.string()),
    source: fc.string({ minLength: 1 }),
    time_difference: fc.integer(),
    distance: fc.nat(),
    quality_score: fc.nat(100),
    chosen: fc.boolean(),
  });
  /** An event's members, or none where it is not merged. */
  const source_events = fc.option(fc.array(member, { minLength: 1, maxLength: 5 }));
  const merged = fc.record({ record: arbitraryRecord, source_events });
  const catalogue = await catalogueOf(
    ...fc
      .sample(merged, { numRuns: 100, seed: 7 })
      .map(({ record, source_events: members }) => ({ ...record, source_events: members })),
  );
  const ordered = inOrder(catalogue.events(), "time");
  expect(ordered.some(({ source_events: all }) => (all?.length ?? 0) > 1)).toBe(true);
  for (const [include, form] of [
    [{}, listed],
    [{ include: "source_events" }, listedWithSources],
  ] as const) {
    const events = ordered.map(form);
    expect((await filtered(catalogue, include)).events).toEqual(events);
    const { id } = catalogue;
    for (const [query, shown] of [
      [{ page: 3, pageSize: 20 }, events.slice(40, 60)],
      [{ offset: 90, limit: 20 }, events.slice(90)],
      [{ direction: "asc", limit: 10 }, events.toReversed().slice(0, 10)],
    ] as const) {
      const { body } = await model.api.listEvents({ id }, { ...include, ...query });
      expect(body.events).toEqual(shown);
    }
  }
});

describe("of a catalogue of many kinds of events", () => {
  let catalogue: ModelCatalogue;
  beforeAll(async () => {
    catalogue = await catalogueOf(...fc.sample(arbitraryRecord, { numRuns: 400, seed: 5 }));
  });

  test("exactly the events that satisfy every filter are answered, in the order asked for", async () => {
    await fc.assert(
      fc.asyncProperty(anyFilters, async (query) => {
        const events = expected(catalogue, query);
        const count = events.length;
        expect(await filtered(catalogue, query)).toEqual({ events, count, truncated: false });
      }),
      { numRuns: runs(400, 1 / 10) },
    );
    const circle = { latitude: 0, longitude: 179.5, maxRadiusKm: 9000, minMagnitude: 1 };
    const query = { ...circle, minLongitude: 170, maxLongitude: -100, minLatitude: -60 };
    const { events } = await filtered(catalogue, query);
    expect(events.length).toBeGreaterThan(0);
    expect(events).toEqual(expected(catalogue, query));
  });

  test("a span of time or a box is answered whole, whether it holds few events or many", async () => {
    const anyTime = fc.constantFrom(...catalogue.events().map(({ time }) => time));
    const span = fc
      .tuple(anyTime, anyTime, fc.boolean())
      .map(([a, b, isOpen]): Parameters => {
        const [startTime, endTime] = Date.parse(a) <= Date.parse(b) ? [a, b] : [b, a];
        return isOpen ? { startTime } : { startTime, endTime };
      })
      .filter((query) => FilteredQuery.safeParse(texts(query)).success);
    const bounds = (low: string, high: string, most: number) =>
      fc
        .tuple(fc.integer({ min: -most, max: most }), fc.integer({ min: -most, max: most }))
        .map(([a, b]) => ({ [low]: Math.min(a, b), [high]: Math.max(a, b) }));
    const box = fc
      .tuple(bounds("minLatitude", "maxLatitude", 90), bounds("minLongitude", "maxLongitude", 180))
      .map((both): Parameters => Object.assign({}, ...both));
    const lengths = new Set<string>();
    const anyLimit = fc.oneof(
      fc.integer({ min: 1, max: 400 }),
      fc.constantFrom(199, 200, 201, 10_000),
    );
    for (const [kind, any, widest] of [
      ["span", span, { startTime: "1000-01-01" }],
      ["box", box, { minLatitude: -90, maxLatitude: 90 }],
    ] as const) {
      await fc.assert(
        fc.asyncProperty(
          any,
          fc.constantFrom(...ORDERS),
          anyLimit,
          async (within, orderBy, limit) => {
            const query = { ...within, orderBy, limit };
            const events = expected(catalogue, query);
            lengths.add(`${kind} ${events.length > 200 ? "many" : "few"}`);
            expect(await filtered(catalogue, query)).toMatchObject({
              events: events.slice(0, limit),
              count: Math.min(limit, events.length),
              truncated: events.length > limit,
            });
          },
        ),
        { numRuns: runs(200, 1 / 10), examples: [[widest, "time", 10_000]] },
      );
    }
    // Both what is few events and what is many must be among what the bounds hold.
    expect(lengths).toEqual(new Set(["span few", "span many", "box few", "box many"]));
  });

  /** Which events lie within, or without, by more than a tolerance. */
  async function expectWithin(
    events: ModelCatalogue,
    centre: { latitude: number; longitude: number },
    radii: Parameters,
    toleranceKm: number,
  ): Promise<number> {
    const found = new Set(
      (await filtered(events, { ...centre, ...radii })).events.map((e) => e.id),
    );
    const { minRadiusKm = 0, maxRadiusKm = Number.POSITIVE_INFINITY } = radii;
    for (const event of events.events()) {
      const distance = distanceKm(event, centre);
      const margin = Math.min(distance - Number(minRadiusKm), Number(maxRadiusKm) - distance);
      if (Math.abs(margin) > toleranceKm) expect(found.has(event.id)).toBe(margin > 0);
    }
    return found.size;
  }

  test("a circle holds the events whose great-circle distance is within its radii", async () => {
    const place = fc.record({ latitude: arbitraryLatitude, longitude: arbitraryLongitude });
    const radii = range("minRadiusKm", "maxRadiusKm", upTo(20_015));
    const circle = fc.tuple(place, radii).filter(([, some]) => Object.keys(some).length > 0);
    await fc.assert(
      // A metre: the haversine formula loses digits towards the antipode.
      fc.asyncProperty(circle, async ([centre, some]) => {
        await expectWithin(catalogue, centre, some, 1e-3);
      }),
      { numRuns: runs(150, 1 / 10) },
    );
  });

  test("a small circle holds its events also across the antimeridian and around the poles", async () => {
    const near = (values: readonly number[], limit: number) =>
      fc
        .tuple(fc.constantFrom(...values), fc.double({ min: -0.3, max: 0.3, noNaN: true }))
        .map(([value, apart]) => value + apart)
        .filter((value) => Math.abs(value) <= limit);
    const place = fc.record({
      latitude: near([-90, -89.9995, -60, 0, 89.99, 90], 90),
      longitude: near([-180, -90, 0, 180], 180),
    });
    const places = fc.sample(place, { numRuns: 600, seed: 12 });
    const close = await catalogueOf(...places.map((p) => at(p.latitude, p.longitude)));
    let held = 0;
    await fc.assert(
      // A millimetre: nearer to the edge the two ways of reckoning may differ.
      fc.asyncProperty(place, upTo(60), async (centre, maxRadiusKm) => {
        held += await expectWithin(close, centre, { maxRadiusKm }, 1e-6);
      }),
      { numRuns: runs(150, 1 / 10) },
    );
    expect(held).toBeGreaterThan(0);
  });

  test("an answer cut off by its limit goes on by cursor in each order at the same version", async () => {
    for (const orderBy of ORDERS) {
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
      expect([...events, ...answer.events], orderBy).toEqual(expected(walked, query, 1));
    }
  });
});

describe("bounds", () => {
  test("of longitude take ±180° for one meridian", async () => {
    const all = [175, -175, 180, -180, 170, -170, 0];
    const catalogue = await catalogueOf(...all.map((longitude) => at(0, longitude)));
    for (const [minLongitude, maxLongitude, held] of [
      [170, -170, [175, -175, 180, -180, 170, -170]],
      [170, 180, [175, 180, -180, 170]],
      [-180, -170, [-175, 180, -180, -170]],
      [170, undefined, [175, 180, -180, 170]],
      [undefined, -170, [-175, 180, -180, -170]],
      [180, -180, [180, -180]],
      [180, 180, [180, -180]],
      [-180, -180, [180, -180]],
      [-180, 180, all],
      [-170, 170, [170, -170, 0]],
    ] as const) {
      const query = {
        ...(minLongitude !== undefined && { minLongitude }),
        ...(maxLongitude !== undefined && { maxLongitude }),
      };
      const { events } = await filtered(catalogue, query);
      const found = events.map((event) => event.longitude).toSorted();
      expect(found, JSON.stringify(query)).toEqual(held.toSorted());
    }
  });

  test("of a radius of 0 hold the place itself, a pole and the antimeridian, and of half the circumference the antipode", async () => {
    for (const [latitude, longitude, lat, lon] of [
      [90, 12, 90, -170],
      [-90, 0, -90, 123.4],
      [33, 180, 33, -180],
      [-41.2865, 174.7762, -41.2865, 174.7762],
    ] as const) {
      const beside = at(lat > 0 ? lat - 1e-6 : lat + 1e-6, lon);
      const catalogue = await catalogueOf(at(lat, lon), beside);
      const { count } = await filtered(catalogue, { latitude, longitude, maxRadiusKm: 0 });
      expect(count, `${latitude} ${longitude}`).toBe(1);
    }
    const catalogue = await catalogueOf(at(-33, -10), at(90, 0));
    const circle = { latitude: 33, longitude: 170 };
    expect((await filtered(catalogue, { ...circle, maxRadiusKm: 20_016 })).count).toBe(2);
    expect((await filtered(catalogue, { ...circle, minRadiusKm: 20_015 })).count).toBe(1);
  });
});

describe("an expression", () => {
  const NUMBERS = ["latitude", "longitude", "depth", "magnitude", "used_phase_count"] as const;
  const TEXTS = ["magnitude_type", "region", "event_type", "author"] as const;
  const number = fc.oneof(arbitraryMagnitude, arbitraryLatitude, fc.integer({ min: -2, max: 90 }));
  const text = fc.oneof(
    fc.constantFrom("ML", "ml", "mb", "earthquake", "", "\uffff", "🌏"),
    fc
      .string({ unit: "binary", maxLength: 3 })
      .map((some) => some.replaceAll("\0", "").toWellFormed()),
  );
  const pattern = fc
    .array(fc.constantFrom("%", "_", "\\%", "\\\\", "M", "L", "quake", "🌏"), { maxLength: 4 })
    .map((parts) => parts.join(""));
  const bound = (value: fc.Arbitrary<number>) => fc.option(value, { nil: undefined });
  const some = <T>(value: fc.Arbitrary<T>) => fc.array(value, { minLength: 1, maxLength: 3 });
  const of = <K extends string>(kind: K) => fc.constant(kind);

  const compared = <P extends string, T>(property: fc.Arbitrary<P>, value: fc.Arbitrary<T>) => {
    const operator = fc.constantFrom("=", "<>", "<", "<=", ">", ">=");
    return fc.oneof(
      fc.record({ kind: of("compare"), property, operator, value }),
      fc.record({ kind: of("oneOf"), property, values: some(value) }),
    );
  };
  const condition = fc.oneof(
    { weight: 2, arbitrary: compared(fc.constantFrom(...NUMBERS), number) },
    { weight: 2, arbitrary: compared(fc.constantFrom(...TEXTS), text) },
    { weight: 2, arbitrary: compared(of("time"), arbitraryTime) },
    fc.record({
      kind: of("oneOf"),
      property: of("magnitude_type"),
      values: fc.subarray(["ml", "mb", "mü", "M%"], { minLength: 1 }),
      ignoresCase: fc.constant(true as const),
    }),
    fc.record({ kind: of("like"), property: fc.constantFrom(...TEXTS), pattern }),
    fc.record({
      kind: of("isNull"),
      property: fc.constantFrom("time" as const, ...NUMBERS, ...TEXTS),
    }),
    fc.record({
      kind: of("box"),
      west: bound(arbitraryLongitude),
      east: bound(arbitraryLongitude),
      south: bound(arbitraryLatitude),
      north: bound(arbitraryLatitude),
    }),
    fc.record({
      kind: of("circle"),
      latitude: arbitraryLatitude,
      longitude: arbitraryLongitude,
      minKm: bound(fc.double({ min: 1, max: 10_000, noNaN: true })),
      maxKm: bound(fc.double({ min: 1, max: 20_000, noNaN: true })),
    }),
    fc.record({
      kind: of("shape"),
      shape: fc
        .array(fc.tuple(arbitraryLongitude, arbitraryLatitude), { minLength: 3, maxLength: 5 })
        .map((ring) => shapeOf([[closed(ring)]])),
    }),
    fc.record({ kind: of("has"), held: fc.subarray([...HELD], { minLength: 1, maxLength: 2 }) }),
    fc.record({
      kind: of("count"),
      of: fc.constantFrom("origins" as const, "magnitudes" as const),
      atLeast: fc.integer({ min: 0, max: 2 }),
    }),
  ) as fc.Arbitrary<Condition>;

  const { tree } = fc.letrec<{ tree: Expression }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      condition,
      fc.record({ all: fc.array(tie("tree"), { maxLength: 3 }) }),
      fc.record({ any: fc.array(tie("tree"), { maxLength: 3 }) }),
      tie("tree").map(negated),
    ),
  }));

  async function idsIn(catalogue: ModelCatalogue, expression: Expression): Promise<string[]> {
    const version = { key: catalogue.key, version: catalogue.latest() };
    const client = await model.writer.connect();
    const ids: string[] = [];
    const query = sql.fragment`
      select event_id from read_model.seismic_events
      where ${rowsOf(version)} and ${conditionOf(expression)}`;
    for await (const rows of copyRows(client, query)) ids.push(...rows.map(([id]) => id ?? ""));
    client.release();
    return ids;
  }

  test("means in SQL what it means as a predicate", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryRecord, { minLength: 1, maxLength: 12 }),
        fc.array(tree, { minLength: 1, maxLength: 20 }),
        async (records, expressions) => {
          const catalogue = await catalogueOf(...records);
          for (const expression of expressions) {
            const isMeant = predicateOf(expression) ?? (() => true);
            const meant = catalogue.events().filter(isMeant);
            const found = await idsIn(catalogue, expression);
            expect(found.toSorted(), JSON.stringify(expression)).toEqual(
              meant.map(({ id }) => id).toSorted(),
            );
          }
        },
      ),
      { numRuns: runs(200, 1 / 10) },
    );
  });

  test("is satisfied by an unknown attribute neither in a condition nor in its negation", () => {
    fc.assert(
      fc.property(arbitraryRecord, condition, (record, each) => {
        fc.pre(each.kind === "compare" || each.kind === "like" || each.kind === "oneOf");
        fc.pre(!["time", "latitude", "longitude"].includes(each.property));
        const isMeant = predicateOf({ any: [each, negated(each)] });
        expect(isMeant?.({ ...record, [each.property]: null })).toBe(false);
      }),
    );
  });
});

describe("a shape", () => {
  const Row = z.object({ is_in: z.boolean() });

  /** Whether PostgreSQL finds each of the places in it as an oracle of whole numbers does. */
  async function expectAsOracle(shape: Shape, places: readonly Position[], share = 1) {
    const rows = await model.pool.any(sql.type(Row)`
      select ${sql.join(withinShape(shape, share), sql.fragment` and `)} as is_in
      from ${sql.unnest(
        places.map((place, i) => [i, ...place]),
        ["int4", "float8", "float8"],
      )} as places (i, longitude, latitude)
      order by i`);
    expect(rows.map((row) => row.is_in)).toEqual(places.map((place) => isPlaceIn(shape, place)));
  }

  test("holds in SQL the places that it holds by whole numbers", {
    timeout: 1_200_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        shapeAndPlaces(7, 20),
        fc.constantFrom(1, 1 / 3, 1 / 100),
        ([shape, places], share) => expectAsOracle(shape, places, share),
      ),
      { numRuns: runs(10_000, 1 / 100) },
    );
  });

  test("tells places beyond what products of doubles can tell by decimals, and unites many parts that overlap in one place", async () => {
    const triangle: Position[] = [
      [0, 0],
      [1, 0],
      [0, 1],
    ];
    await expectAsOracle(shapeOf([[closed(triangle)]]), [
      [5e-324, 5e-324],
      [-5e-324, 5e-324],
      [0.1, 1e-310],
      [0.1, -1e-310],
      [0.3, 0.7],
      [0.30000000000000004, 0.7],
    ]);
    const parts = Array.from({ length: 160 }, (_, i) => {
      const x = i / 1_000;
      const ring: Position[] = [
        [x, 0],
        [x + 1, 0.5],
        [x, 1],
      ];
      return [closed(ring)];
    });
    const place = (_: unknown, i: number): Position => [i / 125, ((i * 7) % 100) / 100];
    await expectAsOracle(shapeOf(parts), Array.from({ length: 150 }, place));
  });
});
