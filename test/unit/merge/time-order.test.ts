import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import type { Origin } from "#services/domain/merge/origins.ts";
import { inTimeOrder, microsBetween } from "#services/domain/merge/time-order.ts";
import { originsOf } from "../../support/origins-of.ts";
import { runs } from "../../support/runs.ts";
import { origin } from "./scenario.ts";

const FIRST = timeToMicros("0001-01-01T00:00:00Z");
const LAST = timeToMicros("9999-12-31T23:59:59.999999Z");

const anyTime = fc.bigInt({ min: FIRST, max: LAST });
/** Around 1970 and far from it, where neighbours are a microsecond apart or the same. */
const crowded = fc.tuple(
  fc.constantFrom(0n, FIRST + 10n, LAST - 10n),
  fc.integer({ min: -5, max: 5 }),
);
const micros = fc.oneof(
  anyTime,
  crowded.map(([centre, offset]) => centre + BigInt(offset)),
);
const events = fc
  .uniqueArray(fc.record({ id: fc.string({ maxLength: 3 }), micros }), { selector: ({ id }) => id })
  .map((given) =>
    given.map(({ id, micros }) => ({ ...origin(id), source: 0, time: microsToTime(micros, 6) })),
  );

function byTimeThenId(a: Origin, b: Origin): number {
  const difference = timeToMicros(a.time) - timeToMicros(b.time);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

describe("the time order", () => {
  test("the time order is by exact time, then id, from the year 1 to 9999", () => {
    fc.assert(
      fc.property(events, (given) => {
        const ordered = inTimeOrder(originsOf(given));
        expect(Array.from(ordered.rows, (row) => given[row])).toEqual(given.toSorted(byTimeThenId));
      }),
      { numRuns: runs(300) },
    );
  });

  test("the time order is the same whether the events come in it already or not", () => {
    fc.assert(
      fc.property(events, (given) => {
        const already = inTimeOrder(originsOf(given.toSorted(byTimeThenId)));
        const rows = Int32Array.from(given, (_, row) => row);
        expect(already).toMatchObject({ ...inTimeOrder(originsOf(given)), rows });
      }),
    );
  });

  test("the time order knows the microseconds between neighbours exactly, across 1970 too", () => {
    fc.assert(
      fc.property(micros, fc.integer({ min: 0, max: 3_600_000_000 }), (start, gap) => {
        fc.pre(start + BigInt(gap) <= LAST);
        const pair = [
          origin("a", { time: microsToTime(start, 6) }),
          origin("b", { time: microsToTime(start + BigInt(gap), 6) }),
        ];
        expect(microsBetween(inTimeOrder(originsOf(pair)), 0, 1)).toBe(gap);
      }),
    );
  });
});
