import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ordered } from "#services/console/features/work/table/order.ts";
import { rowsInView, scrollTo } from "#services/console/features/work/table/rows-in-view.ts";
import { columnsOf } from "../support/columns.ts";

const magnitudes = fc.array(fc.option(fc.integer({ min: 0, max: 6 })), {
  minLength: 1,
  maxLength: 40,
});

describe("the order of a table", () => {
  test.each(["asc", "desc"] as const)(
    "is %s, unknown values last, equal ones newest first",
    (order) => {
      fc.assert(
        fc.property(magnitudes, (magnitude) => {
          const rows = [...ordered(columnsOf({ magnitude }), null, "magnitude", order)];
          const sign = order === "asc" ? 1 : -1;
          const expected = magnitude
            .map((value, i) => ({ value, i }))
            .toSorted((a, b) => {
              if (a.value === null || b.value === null) {
                return Number(a.value === null) - Number(b.value === null) || a.i - b.i;
              }
              return sign * (a.value - b.value) || a.i - b.i;
            });
          expect(rows).toEqual(expected.map(({ i }) => i));
        }),
      );
    },
  );

  test("by time is that of the columns, of shown events alone", () => {
    const columns = columnsOf({ magnitude: [1, 2, 3, 4] });
    const shown = Uint32Array.of(0, 2, 3);
    expect([...ordered(columns, shown, "time", "desc")]).toEqual([0, 2, 3]);
    expect([...ordered(columns, shown, "time", "asc")]).toEqual([3, 2, 0]);
    expect([...shown]).toEqual([0, 2, 3]);
  });
});

describe("the rows in view", () => {
  const tables = fc.record({
    rows: fc.integer({ min: 1, max: 3_000_000 }),
    viewHeight: fc.integer({ min: 30, max: 2_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });

  test("fill it wherever it is scrolled, and end with the last row", () => {
    fc.assert(
      fc.property(tables, ({ rows, viewHeight, share }) => {
        const { height } = rowsInView(rows, 28, viewHeight, 0);
        const scrolled = share * Math.max(0, height - viewHeight);
        const { first, top, count } = rowsInView(rows, 28, viewHeight, scrolled);
        expect(top).toBeLessThanOrEqual(scrolled + 1e-3);
        if (rows * 28 >= viewHeight + 28) {
          expect(top + count * 28).toBeGreaterThanOrEqual(scrolled + viewHeight - 1e-3);
        }
        expect(first + count).toBeLessThanOrEqual(rows);
        const end = rowsInView(rows, 28, viewHeight, height);
        expect(end.first + end.count).toBe(rows);
      }),
    );
  });

  test("hold the row to which they are scrolled", () => {
    fc.assert(
      fc.property(tables, fc.double({ min: 0, max: 0.999, noNaN: true }), (table, at) => {
        const { rows, viewHeight, share } = table;
        const row = Math.floor(at * rows);
        const { height } = rowsInView(rows, 28, viewHeight, 0);
        const before = share * Math.max(0, height - viewHeight);
        const scrolled = scrollTo(row, rows, 28, viewHeight, before);
        const { first, count } = rowsInView(rows, 28, viewHeight, scrolled);
        expect(row).toBeGreaterThanOrEqual(first - 1);
        expect(row).toBeLessThan(first + count + 1);
      }),
    );
  });
});
