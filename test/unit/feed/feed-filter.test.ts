import fc from "fast-check";
import { expect, test } from "vitest";
import { FeedQuery } from "#contracts/http/feed.ts";
import { feedFilter } from "#services/domain/feed/feed-filter.ts";
import {
  arbitraryLatitude,
  arbitraryLongitude,
  arbitraryMagnitude,
  arbitraryRecord,
} from "../../integration/queries/arbitrary-events.ts";
import { satisfies } from "../../integration/queries/event-oracle.ts";
import { runs } from "../../support/runs.ts";

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
  circle,
];

/** Parameters of a feed, as texts. */
const parameters = fc.subarray(parts).chain((chosen) =>
  fc.tuple(...chosen).map((given) => {
    const all = Object.entries(Object.assign({}, ...given));
    return Object.fromEntries(all.map(([name, value]) => [name, String(value)]));
  }),
);

test("a feed's filters leave the events that the list of filtered events has", () => {
  fc.assert(
    fc.property(parameters, fc.array(arbitraryRecord, { maxLength: 20 }), (texts, records) => {
      const query = FeedQuery.parse(texts);
      const filter = feedFilter(query);
      expect(filter === null).toBe(Object.keys(texts).length === 0);
      for (const record of records) {
        expect(filter?.(record) ?? true).toBe(satisfies({ id: "", ...record }, query));
      }
    }),
    { numRuns: runs(500) },
  );
});
