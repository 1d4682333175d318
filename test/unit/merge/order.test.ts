import fc from "fast-check";
import { expect, test } from "vitest";
import { greatCircleKm } from "#contracts/geometry/globe.ts";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { sweepNeighbours } from "#services/domain/merges/grouping/group-events.ts";
import {
  createPairMeasure,
  createTextColumnBuilder,
  inTimeOrder,
  microsBetween,
  nearness,
  type Origin,
  thresholdsOf,
  widened,
} from "#services/domain/merges/grouping/thresholds.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { originsOf } from "../../support/origins-of.ts";
import { runs } from "../../support/runs.ts";
import { noonPlus, origin } from "./scenario.ts";

const UNIT = 1_000_000_000;

test("thresholds hold exactly the microseconds that the seconds name", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_600_000_000 }), (micros) => {
      expect(thresholdsOf(micros / 1e6, 1).micros).toBe(micros);
    }),
  );
  expect(thresholdsOf(0.000249, 1).micros).toBe(249);
});

test("thresholds leave out a microsecond that is begun only", () => {
  expect(thresholdsOf(0.0000019, 1).micros).toBe(1);
  expect(thresholdsOf(16.0000006, 1).micros).toBe(16_000_000);
});

test("thresholds widen both alike", () => {
  expect(widened(thresholdsOf(16, 50), 1.5)).toEqual({ micros: 24_000_000, kilometres: 75 });
});

test("nearness is the root of the sum of the squared shares of the thresholds", () => {
  const thresholds = thresholdsOf(10, 100);
  expect(nearness(0, 0, thresholds)).toBe(0);
  expect(nearness(3_000_000, 40, thresholds)).toBe(0.5 * UNIT);
  expect(nearness(-3_000_000, 40, thresholds)).toBe(0.5 * UNIT);
  expect(nearness(10_000_000, 100, thresholds)).toBe(Math.round(Math.SQRT2 * UNIT));
});

test("nearness takes 0/0 for 0", () => {
  expect(nearness(0, 40, thresholdsOf(0, 100))).toBe(0.4 * UNIT);
  expect(nearness(3_000_000, 0, thresholdsOf(10, 0))).toBe(0.3 * UNIT);
  expect(nearness(0, 0, thresholdsOf(0, 0))).toBe(0);
});

test("nearness does not tell apart what differs by the rounding of decimal coordinates", () => {
  const thresholds = thresholdsOf(16, 50);
  expect(nearness(0, 0.3 - 0.2, thresholds)).toBe(nearness(0, 0.1, thresholds));
});

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

/** Events at one time all over the polar caps and along the date line, or everywhere. */
function scatteredEvents(seed: number, latitudes: number, longitudes: number) {
  const random = randomOf(seed);
  return Array.from({ length: 200 }, (_, i) => ({
    source: i % 3,
    id: `event ${i}`,
    time: noonPlus(0),
    latitude: (random() < 0.5 ? 1 : -1) * (90 - random() * latitudes),
    longitude: (random() < 0.5 ? 1 : -1) * (180 - random() * longitudes),
  }));
}

test("the sweep visits every pair within the thresholds exactly once, wherever it is", () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom(0.5, 10, 90),
      fc.constantFrom(0.5, 180),
      fc.constantFrom(0, 10, 300, 1500),
      (seed, latitudes, longitudes, kilometres) => {
        const events = scatteredEvents(seed, latitudes, longitudes);
        const ordered = inTimeOrder(originsOf(events));
        const byRank = Array.from(ordered.rows, (row) => events[row]);
        const visited: string[] = [];
        sweepNeighbours(
          ordered,
          createPairMeasure(ordered, { thresholds: thresholdsOf(0, kilometres) }),
          (earlier, later) => visited.push(`${earlier} ${later}`),
          () => true,
        );
        const expected = byRank.flatMap((later, j) =>
          byRank.slice(0, j).flatMap((earlier, i) => {
            if (earlier === undefined || later === undefined) return [];
            const isNear = greatCircleKm(earlier, later) <= kilometres;
            return isNear && earlier.source !== later.source ? [`${i} ${j}`] : [];
          }),
        );
        expect(visited.toSorted()).toEqual(expected.toSorted());
      },
    ),
    { numRuns: runs(60) },
  );
});

const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(null, "", "\0", "a", "a\0", "é", "e\u0301", "ÿ", "𐐷", "\uffff"),
);

function columnOf(texts: readonly (string | null)[]) {
  const builder = createTextColumnBuilder(texts.length);
  for (const text of texts) builder.push(text);
  return builder.finish();
}

test("a column gives its texts back, and null for none", () => {
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 500 }), (texts) => {
      const column = columnOf(texts);
      expect(texts.map((_, row) => column.textOf(row))).toEqual(texts);
      expect(column.textOf(texts.length)).toBeNull();
    }),
  );
});

test("its texts are in the order of their bytes, which is that of their code points", () => {
  const orderOf = (a: string | null, b: string | null): number => {
    if (a === null || b === null) return Number(a !== null) - Number(b !== null);
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  };
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      expect(columnOf([a, b]).compare(0, 1)).toBe(orderOf(a, b));
    }),
    { numRuns: runs(500) },
  );
});

test("it grows with texts longer than all before", () => {
  const texts = ["a", "é".repeat(100_000), null, "b".repeat(500_000), "c"];
  const column = columnOf(texts);
  expect(texts.map((_, row) => column.textOf(row))).toEqual(texts);
});

test("it refuses more than it has room for", () => {
  const builder = createTextColumnBuilder(1);
  builder.push(null);
  expect(() => builder.push("a")).toThrow(RangeError);
  expect(builder.finish().textOf(0)).toBeNull();
});
