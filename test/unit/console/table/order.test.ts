import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ordered, shownOf } from "#services/console/features/work/table/order.ts";
import { rowsInView, scrollTo } from "#services/console/features/work/table/rows-in-view.ts";
import { columnsOf } from "../support/columns.ts";

/** Many equal ones, either zero, the ends of the numbers; null where one is unknown. */
const values = fc.option(
  fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(-0, 0, 2 ** 127, -(2 ** 127)),
    fc.float({ noNaN: true }),
  ),
);
const tables = fc.array(fc.record({ value: values, isShown: fc.boolean() }), { maxLength: 60 });

describe("the order of a table", () => {
  test.each(["asc", "desc"] as const)(
    "is %s, unknown values last, equal ones newest first, of shown events alone",
    (order) => {
      const isBelow = (a: number, b: number) => (order === "asc" ? a < b : a > b);
      fc.assert(
        fc.property(tables, (events) => {
          const magnitude = events.map(({ value }) => value);
          const all = ordered(columnsOf({ magnitude }), "magnitude", order);
          const expected = events
            .map(({ value, isShown }, i) => ({ value, isShown, i }))
            .toSorted((a, b) => {
              if (a.value === null || b.value === null) {
                return Number(a.value === null) - Number(b.value === null) || a.i - b.i;
              }
              if (isBelow(a.value, b.value)) return -1;
              return isBelow(b.value, a.value) ? 1 : a.i - b.i;
            });
          expect([...shownOf(all, null)]).toEqual(expected.map(({ i }) => i));
          const indexes = Uint32Array.from(
            events.flatMap(({ isShown }, i) => (isShown ? [i] : [])),
          );
          const shown = expected.filter(({ isShown }) => isShown);
          expect([...shownOf(all, indexes)]).toEqual(shown.map(({ i }) => i));
        }),
      );
    },
  );

  test("by time is that of the columns, of shown events alone", () => {
    const columns = columnsOf({ magnitude: [1, 2, 3, 4] });
    const shown = Uint32Array.of(0, 2, 3);
    expect([...shownOf(ordered(columns, "time", "desc"), shown)]).toEqual([0, 2, 3]);
    expect([...shownOf(ordered(columns, "time", "asc"), shown)]).toEqual([3, 2, 0]);
  });
});

describe("the rows in view", () => {
  const scrolledTables = fc.record({
    rows: fc.integer({ min: 1, max: 3_000_000 }),
    viewHeight: fc.integer({ min: 30, max: 2_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });

  test("fill it wherever it is scrolled, and end with the last row", () => {
    fc.assert(
      fc.property(scrolledTables, ({ rows, viewHeight, share }) => {
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
      fc.property(scrolledTables, fc.double({ min: 0, max: 0.999, noNaN: true }), (table, at) => {
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
