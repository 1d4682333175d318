import fc from "fast-check";
import { expect, test } from "vitest";
import { FeedQuery } from "#contracts/http/following.ts";
import { type Expression, negated } from "#contracts/query/expression.ts";
import { expressionOf, FILTER_NAMES, filtersInWords } from "#contracts/query/filters.ts";
import { likePattern, predicateOf } from "#contracts/query/predicate.ts";
import {
  EVALUATION_MODES,
  EVALUATION_STATUSES,
  QUAKEML_EVENT_TYPES,
} from "#contracts/seismic-event/attributes.ts";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  arbitraryLatitude,
  arbitraryLongitude,
  arbitraryMagnitude,
  arbitraryRecord,
  arbitraryTime,
} from "../../support/arbitrary-events.ts";
import { satisfies } from "../../support/event-oracle.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

const ordered = (low: string, high: string, value: fc.Arbitrary<number>) =>
  fc.tuple(value, value).map(([a, b]) => ({ [low]: Math.min(a, b), [high]: Math.max(a, b) }));

const circle = fc
  .record({
    latitude: arbitraryLatitude,
    longitude: arbitraryLongitude,
    maxRadiusKm: fc.double({ min: 1, max: 20_000, noNaN: true }),
  })
  .chain((given) =>
    fc
      .constantFrom({}, { minRadiusKm: given.maxRadiusKm / 3 })
      .map((more) => ({ ...given, ...more })),
  );

const parts: fc.Arbitrary<object>[] = [
  arbitraryMagnitude.map((minMagnitude) => ({ minMagnitude })),
  ordered("minLatitude", "maxLatitude", arbitraryLatitude),
  fc.record({ minLongitude: arbitraryLongitude, maxLongitude: arbitraryLongitude }),
  arbitraryLongitude.map((minLongitude) => ({ minLongitude })),
  fc.constantFrom("earthquake", "Explosion,quarry blast").map((eventType) => ({ eventType })),
  fc.constantFrom("MW", "ml,mb").map((magnitudeType) => ({ magnitudeType })),
  ordered("minDepth", "maxDepth", fc.integer({ min: -10, max: 700 })),
  fc.integer({ min: 0, max: 90 }).map((minUsedPhaseCount) => ({ minUsedPhaseCount })),
  arbitraryTime.map((startTime) => ({ startTime })),
  circle,
];

/** Parameters of a feed, as texts. */
const parameters = fc.subarray(parts).chain((chosen) =>
  fc.tuple(...chosen).map((given) => {
    const all = Object.entries(Object.assign({}, ...given));
    return Object.fromEntries(all.map(([name, value]) => [name, String(value)]));
  }),
);

const ROW = emptyRecord({ time: "2016-11-13T11:02:56Z", latitude: 1, longitude: 2 });
const COUNTS = { origins: 2, magnitudes: 0, station_magnitudes: 0, amplitudes: 0, picks: 3 };
/** A row alone; one with a magnitude and mechanisms; one with a bulletin of picks without arrivals. */
const HOLDERS = [
  ROW,
  { ...ROW, magnitude: 5, focal_mechanisms: [{}] },
  {
    ...ROW,
    bulletin_counts: { ...COUNTS, arrivals: 0, focal_mechanisms: 0, comments: 0, bytes: 900 },
  },
];

test("a feed's filters leave the events that the list of filtered events has", () => {
  fc.assert(
    fc.property(parameters, fc.array(arbitraryRecord, { maxLength: 20 }), (texts, records) => {
      const query = FeedQuery.parse(texts);
      const filter = predicateOf(expressionOf(query));
      expect(filter === null).toBe(Object.keys(texts).length === 0);
      for (const record of records) {
        expect(filter?.(record) ?? true).toBe(satisfies({ id: "", ...record }, query));
      }
    }),
    { numRuns: runs(500) },
  );
});

testRows(
  "a feed leaves events that have all of it",
  [
    ["bulletin", [false, false, true]],
    ["focal_mechanisms", [false, true, false]],
    ["picks", [false, false, true]],
    ["arrivals,picks", [false, false, false]],
  ],
  (has, expected) => {
    const filter = predicateOf(expressionOf(FeedQuery.parse({ has })));
    expect(HOLDERS.map((event) => filter?.(event))).toEqual(expected);
  },
);

testRows(
  "an event without a bulletin has one origin, and a magnitude that is known",
  [
    [{ minOrigins: "1" }, [true, true, true]],
    [{ minOrigins: "2" }, [false, false, true]],
    [{ minMagnitudes: "1" }, [false, true, false]],
  ],
  (query, expected) => {
    const filter = predicateOf(expressionOf(FeedQuery.parse(query)));
    expect(HOLDERS.map((event) => filter?.(event))).toEqual(expected);
  },
);

const condition = fc.oneof(
  fc.record({
    kind: fc.constant("compare" as const),
    property: fc.constantFrom("depth" as const, "magnitude" as const),
    operator: fc.constantFrom("=", "<>", "<", "<=", ">", ">="),
    value: fc.integer(),
  }),
  fc.constantFrom<Expression>(
    { kind: "isNull", property: "depth" },
    { kind: "isNull", property: "depth", isNot: true },
    { kind: "like", property: "region", pattern: "K%" },
  ),
);

const { tree } = fc.letrec<{ tree: Expression }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    condition,
    fc.record({ all: fc.array(tie("tree"), { maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("tree"), { maxLength: 3 }) }),
  ),
}));

test("a negation of a negation is what it was", () => {
  fc.assert(
    fc.property(tree, (expression) => {
      expect(negated(negated(expression))).toEqual(expression);
    }),
  );
});

test.each<[Expression, Expression]>([
  [{ all: [] }, { any: [] }],
  [
    { kind: "compare", property: "magnitude", operator: "<", value: 3 },
    { kind: "compare", property: "magnitude", operator: ">=", value: 3 },
  ],
  [
    {
      any: [
        { kind: "isNull", property: "depth" },
        { kind: "has", held: ["picks"], isNot: true },
      ],
    },
    {
      all: [
        { kind: "isNull", property: "depth", isNot: true },
        { kind: "has", held: ["picks"] },
      ],
    },
  ],
])("a negation reaches the conditions: %j", (expression, opposite) => {
  expect(negated(expression)).toEqual(opposite);
});

test("enumerations that filters compare are in lower case, as the filters' lists are", () => {
  const values = [...QUAKEML_EVENT_TYPES, ...EVALUATION_STATUSES, ...EVALUATION_MODES];
  expect(values).toEqual(values.map((value) => value.toLowerCase()));
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{}, ""],
  [{ minMagnitude: "2" }, "M ≥ 2"],
  [{ minMagnitude: -1, maxMagnitude: 3.5 }, "M −1 to 3.5"],
  [{ maxDepth: "40", minMagnitude: "2" }, "M ≥ 2; depth ≤ 40 km"],
  [{ startTime: "2016-11-13T00:00:00.000Z" }, "from 2016-11-13"],
  [{ endTime: "2016-11-13T11:02:56Z" }, "until 2016-11-13T11:02:56Z"],
  [{ startTime: "2016-01-01", endTime: "2017-01-01" }, "2016-01-01 to 2017-01-01"],
  [{ minLatitude: "-40", maxLatitude: "-36" }, "latitude −40 to −36°"],
  [
    { latitude: "-38.8", longitude: "175.9", maxRadiusKm: "30" },
    "within 30 km of 38.8° S 175.9° E",
  ],
  [{ latitude: 10, longitude: -3, minRadiusKm: 5, maxRadiusKm: 30 }, "5 to 30 km from 10° N 3° W"],
  [{ magnitudeType: ["Mw", "ML"] }, "magnitude type Mw, ML"],
  [{ magnitudeType: "Mw,ML", evaluationStatus: "reviewed" }, "magnitude type Mw, ML; reviewed"],
  [
    { polygon: "POLYGON ((-10 -5, 5 -5, 5 10.5, -10 -5))", maxDepth: "40" },
    "depth ≤ 40 km; within a polygon of 3 vertices",
  ],
  [{ polygon: "POLYGON ((174 -42, 176" }, "within a polygon"],
  [{ asOf: "3", tab: "rates", has: "" }, ""],
])("the filters %j are told as %s", (filters, text) => {
  expect(filtersInWords(filters).join("; ")).toBe(text);
});

test("every filter is told", () => {
  const place = { latitude: "1", longitude: "2" };
  const alone = filtersInWords(place).join();
  for (const name of FILTER_NAMES) {
    const told = filtersInWords(name in place ? place : { ...place, [name]: "5" }).join();
    if (!(name in place)) expect(told, name).not.toBe(alone);
    expect(told, name).not.toBe("");
  }
});

testRows(
  "a pattern of LIKE stands for its texts",
  [
    ["Kaikōura", "Kaikōura", true],
    ["Kaikōura", "kaikōura", false],
    ["Kai%", "Kaikōura", true],
    ["%ō%a", "Kaikōura", true],
    ["Kai", "Kaikōura", false],
    ["_", "🌏", true],
    ["_", "", false],
    ["%", "", true],
    ["100\\%", "100%", true],
    ["100\\%", "100 km", false],
    ["a\\_b", "axb", false],
    ["\\\\%", "\\x", true],
    [".*", "abc", false],
    ["a%b", "a\nb", true],
  ],
  (pattern, text, expected) => {
    expect(likePattern(pattern)(text)).toBe(expected);
  },
);

test("a pattern of many parts is compared at once", () => {
  expect(likePattern("%a".repeat(200))(`${"a".repeat(10_000)}b`)).toBe(false);
});
