import fc from "fast-check";
import { expect, test } from "vitest";
import { passing } from "#services/console/features/work/filters/local-filter.ts";
import {
  between,
  betweenRows,
  nothingAlong,
} from "#services/console/features/work/filters/selections.ts";
import { withSelection } from "#services/console/features/work/filters/use-filters.ts";
import { columnsOfEvents } from "#services/console/model/columns-of-events.ts";

test("a bound beyond the plot is open, a longitude beyond 180 is in the west", () => {
  expect(between("magnitude", Number.NaN, 3.456)).toEqual({
    minMagnitude: "",
    maxMagnitude: "3.46",
  });
  expect(between("longitude", 175.12345, 184.5)).toEqual({
    minLongitude: "175.123",
    maxLongitude: "-175.5",
  });
  expect(between("time", Date.UTC(2016, 10, 13, 11, 2, 56, 346), Number.NaN)).toEqual({
    startTime: "2016-11-13T11:02:56Z",
    endTime: "",
  });
  expect(withSelection({ minDepth: "1", has: "picks" }, nothingAlong("depth"))).toEqual({
    has: "picks",
  });
});

test("the events between two rows are those that the filters then let through", () => {
  const number = fc.double({ min: -10, max: 700, noNaN: true });
  const event = fc.record({
    id: fc.constant("a"),
    time: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    latitude: fc
      .double({ min: -90, max: 90, noNaN: true })
      .map((value) => Number(value.toFixed(4))),
    longitude: fc.constant(1),
    depth: number.map((value) => Number(value.toFixed(3))),
    magnitude: fc.option(number.map((value) => Number((value / 70).toFixed(2)))),
  });
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 2, maxLength: 40 }),
      fc.constantFrom("time", "magnitude", "depth", "latitude"),
      (events, dimension) => {
        const columns = columnsOfEvents(1, events);
        const selection = betweenRows(columns, dimension, 0, 1);
        const [one, other] = [columns[dimension][0] ?? NaN, columns[dimension][1] ?? NaN];
        if (Number.isNaN(one) || Number.isNaN(other)) return selection === null;
        const inside = events
          .map((_, i) => i)
          .filter((i) => {
            const value = columns[dimension][i] ?? NaN;
            return value >= Math.min(one, other) && value <= Math.max(one, other);
          });
        return inside.join() === [...(passing(columns, selection ?? {}) ?? [])].join();
      },
    ),
  );
});
