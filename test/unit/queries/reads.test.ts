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
import { ANSWERED_FIELDS, isTextField } from "#infra/formats/json/writer.ts";
import type { TextRow } from "#infra/postgres/copy/copied.ts";
import { toExportRow } from "#projections/read/copied-rows.ts";
import { createEventWriter, type WrittenEvents } from "#projections/read/pages.ts";
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

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** As PostgreSQL writes a line of COPY (manual, COPY, "Text Format"). */
function lineOf(row: TextRow): Buffer {
  const fields = row.map((field) =>
    field === null ? "\\N" : Array.from(field, (c) => ESCAPES[c] ?? c).join(""),
  );
  return Buffer.from(`${fields.join("\t")}\n`);
}

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
);
const plainTexts = fc.constantFrom("Kaikōura", "reviewed", "地震", "5 km NW of Tōkyō", "");
const texts = fc.oneof(
  plainTexts,
  fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
  fc.constantFrom('"', "\\", "\\N", "\u0001", "\t\n", "\u2028"),
);
const structures = fc.oneof(
  fc.constant('{"depth_km": 12.5, "note": "plain"}'),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);
const known = (field: (typeof ANSWERED_FIELDS)[number], isPlain: boolean) => {
  if (isTextField(field)) return isPlain ? plainTexts : texts;
  return field === "extra" || field === "focal_mechanisms" ? structures : numbers;
};

/** PostgreSQL's text of a time leaves zeros at the end out. */
const times = fc
  .tuple(
    fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    }),
    fc.nat(999_999),
    fc.integer({ min: 0, max: 6 }),
  )
  .map(([date, micros, digits]) => {
    const seconds = date.toISOString().slice(0, 19).replace("T", " ");
    const fraction = String(micros).padStart(6, "0").slice(0, digits).replace(/0+$/, "");
    return { time: `${seconds}${fraction && `.${fraction}`}+00`, digits: String(digits) };
  });

/** What a row tells of its bulletin: members of its JSON. */
const TOLD = '"bulletin_sha256":"0123","bulletin_counts":{"origins":2}';

const rows: fc.Arbitrary<TextRow> = fc
  .boolean()
  .chain((isPlain) =>
    fc
      .tuple(
        fc.uuid(),
        times,
        ...ANSWERED_FIELDS.slice(2).map((field) => fc.option(known(field, isPlain))),
        fc.nat(50).map(String),
        fc.option(structures),
        fc.option(fc.constantFrom(TOLD)),
      )
      .map(([id, { time, digits }, ...values]) => [id, time, ...values, digits]),
  );

/** The columns of a row where members are not asked for. */
const withoutSources = (row: TextRow): TextRow => row.toSpliced(-3, 1);

/** What a page says of the events of these rows, done by objects. */
function expected(rows: readonly TextRow[], limit: number, reversed: boolean) {
  const events = rows.slice(0, limit).map((row) => {
    const { length } = ANSWERED_FIELDS;
    const values = toExportRow([...row.slice(0, length), row.at(-1) ?? null]);
    const [count, ...others] = row.slice(length, -1);
    const bulletin = others.pop() ?? null;
    const sources = others.pop() ?? null;
    const known = ANSWERED_FIELDS.map((field, i) => {
      const value = values[i] ?? null;
      return [field, value === null || isTextField(field) ? value : JSON.parse(value)];
    });
    return {
      ...Object.fromEntries(known),
      source_count: Number(count),
      ...(sources !== null && { source_events: JSON.parse(sources) }),
      ...(bulletin !== null && JSON.parse(`{${bulletin}}`)),
    };
  });
  const keys = events.map(({ magnitude, id }, i) => ({ magnitude, time: rows[i]?.[1], id }));
  const ends = [keys[0] ?? null, keys.at(-1) ?? null];
  const [first, last] = reversed ? ends.toReversed() : ends;
  return { events: reversed ? events.toReversed() : events, first, last };
}

function read({ json, ...rest }: WrittenEvents) {
  return { ...rest, events: JSON.parse(`[${json.join(",")}]`) };
}

test("events written from rows are what the rows say", () => {
  fc.assert(
    fc.property(
      fc.array(rows, { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      fc.boolean(),
      (given, limit, reversed, withSources) => {
        const all = withSources ? given : given.map(withoutSources);
        const writer = createEventWriter(limit, reversed, withSources);
        for (const row of all) {
          const line = lineOf(row);
          writer.add(line);
          // The driver writes over it.
          line.fill(0);
        }
        const { events, first, last } = expected(all, limit, reversed);
        expect(read(writer.finish())).toEqual({
          events,
          count: events.length,
          more: all.length > limit,
          first,
          last,
        });
      },
    ),
    { numRuns: runs(500) },
  );
});

test("events written from rows go on where one is larger than what is taken at a time", () => {
  const row = (region: string): TextRow =>
    ["5f0c1d7e-0000-4000-8000-000000000001", "2016-11-13 11:02:56+00"].concat(
      ANSWERED_FIELDS.slice(2).map((field) => (field === "region" ? region : "1")),
      "1",
      TOLD,
      "0",
    );
  const regions = ["a", "b".repeat(200_000), "\u0001".repeat(50_000), "c"];
  const writer = createEventWriter(10, false);
  for (const region of regions) writer.add(lineOf(row(region)));
  const { events } = read(writer.finish());
  expect(events.map((event: { region: string }) => event.region)).toEqual(regions);
});
