import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeBounds } from "#contracts/domain-events/bounds.ts";
import { NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import { columnsOf, createColumnsBuilder, rowAt } from "#contracts/seismic-event/event-columns.ts";
import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { boundsOf } from "../../support/bounds-of.ts";

const records = fc.array(anyRecord, { maxLength: 8 });
const origin = { time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 };

test("columns give every row back as it was", () => {
  fc.assert(
    fc.property(records, (given) => {
      const columns = columnsOf(given);
      expect(given.map((_, i) => rowAt(columns, i))).toStrictEqual(given);
    }),
  );
});

test("columns leave out what is null in every row", () => {
  const { columns } = columnsOf([emptyRecord(origin), { ...emptyRecord(origin), depth: 5 }]);
  expect(columns).toEqual({
    time: [origin.time, origin.time],
    latitude: [1, 1],
    longitude: [2, 2],
    depth: [null, 5],
  });
});

test("columns are empty again once taken", () => {
  const builder = createColumnsBuilder();
  builder.push({ ...emptyRecord(origin), depth: 5 });
  expect(builder.length).toBe(1);
  builder.take();
  expect(builder.length).toBe(0);
  expect(builder.take()).toEqual({
    length: 0,
    columns: { time: [], latitude: [], longitude: [] },
  });
});

test("columns have no row beyond their length", () => {
  expect(() => rowAt(columnsOf([]), 0)).toThrow(RangeError);
});

test("bounds hold every event and touch one on each side", () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { minLength: 1, maxLength: 8 }), (given) => {
      const bounds = boundsOf(columnsOf(given));
      const magnitudes = given.map(({ magnitude }) => magnitude).filter((m) => m !== null);
      const times = given.map(({ time }) => time).sort(compareTimes);
      expect(bounds.min_latitude).toBeCloseTo(Math.min(...given.map((r) => r.latitude)), 12);
      expect(bounds.max_longitude).toBeCloseTo(Math.max(...given.map((r) => r.longitude)), 12);
      expect(bounds.min_magnitude === null).toBe(magnitudes.length === 0);
      expect(compareTimes(bounds.start_time ?? "", times.at(0) ?? "")).toBe(0);
      expect(compareTimes(bounds.end_time ?? "", times.at(-1) ?? "")).toBe(0);
    }),
  );
});

test("bounds of two parts merge into those of the whole, in either order", () => {
  fc.assert(
    fc.property(records, records, (a, b) => {
      const [first, second] = [boundsOf(columnsOf(a)), boundsOf(columnsOf(b))];
      const whole = plainZeros(boundsOf(columnsOf([...a, ...b])));
      expect(plainZeros(mergeBounds(first, second))).toEqual(whole);
      expect(plainZeros(mergeBounds(second, first))).toEqual(whole);
    }),
  );
});

test("bounds of nothing are unknown", () => {
  expect(boundsOf(columnsOf([]))).toEqual(NO_BOUNDS);
});

test("bounds keep the digits of their times", () => {
  const at = (time: string) => boundsOf(columnsOf([emptyRecord({ ...origin, time })]));
  const merged = mergeBounds(at("2020-01-01T00:00:00.10Z"), at("2020-01-01T00:00:00.2Z"));
  expect(merged.start_time).toBe("2020-01-01T00:00:00.10Z");
  expect(merged.end_time).toBe("2020-01-01T00:00:00.2Z");
});

/** The sign of a zero is not part of a bound. */
function plainZeros(bounds: object): object {
  return JSON.parse(JSON.stringify(bounds));
}
