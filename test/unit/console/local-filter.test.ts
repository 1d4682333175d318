import { describe, expect, test } from "vitest";
import { passing, timeOf } from "#services/console/features/work/filters/local-filter.ts";
import { columnsOf } from "./support/columns.ts";

const found = (given: Parameters<typeof columnsOf>[0], filters: Parameters<typeof passing>[1]) =>
  passing(columnsOf(given), filters);

describe("filters in the browser", () => {
  test("have limits that belong to what passes, though numbers are packed in 32 bits", () => {
    const magnitude = [2.1, 2.2, 2.3, null];
    expect([...(found({ magnitude }, { minMagnitude: "2.2" }) ?? [])]).toEqual([1, 2]);
    expect([...(found({ magnitude }, { maxMagnitude: "2.2" }) ?? [])]).toEqual([0, 1]);
    expect([...(found({ depth: [33, 33.01] }, { maxDepth: "33.0" }) ?? [])]).toEqual([0]);
    expect(found({ magnitude }, {})).toBeNull();
  });

  test("take a box whose west is above its east across the date line", () => {
    const longitude = [179, -179, 0];
    const box = { minLongitude: "170", maxLongitude: "-170" };
    expect([...(found({ longitude }, box) ?? [])]).toEqual([0, 1]);
  });

  test("take ±180° for one meridian", () => {
    const longitude = [180, -180, 0];
    const box = { minLongitude: "170", maxLongitude: "180" };
    expect([...(found({ longitude }, box) ?? [])]).toEqual([0, 1]);
  });

  test("take a pole into every box of longitudes", () => {
    const places = { latitude: [90, -90, 89.9], longitude: [0, 100, 0] };
    const box = { minLongitude: "20", maxLongitude: "30" };
    expect([...(found(places, box) ?? [])]).toEqual([0, 1]);
    expect([...(found(places, { ...box, minLatitude: "0" }) ?? [])]).toEqual([0]);
  });

  test("take times to the microsecond, in UTC where no zone is named", () => {
    const at = Date.UTC(2016, 10, 13, 11, 2, 56);
    const time = [at + 346.094, at + 346.093];
    const from = { startTime: "2016-11-13T11:02:56.346094Z" };
    expect([...(found({ time }, from) ?? [])]).toEqual([0]);
    expect([...(found({ time }, { endTime: "2016-11-13T11:02:56.346093" }) ?? [])]).toEqual([1]);
    expect(timeOf("2016-11-13")).toBe(Date.UTC(2016, 10, 13));
    expect(timeOf("2016-11-13T11:02")).toBe(Date.UTC(2016, 10, 13, 11, 2));
    expect(timeOf("2016-11-13T11:02:56.5+13:00")).toBe(Date.UTC(2016, 10, 12, 22, 2, 56, 500));
  });
});
