import fc from "fast-check";
import { expect, test } from "vitest";
import { FeedQuery } from "#contracts/http/feed.ts";
import { predicateOf } from "#contracts/query/event-predicate.ts";
import { expressionOf } from "#contracts/query/filters.ts";
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
