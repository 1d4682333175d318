import fc from "fast-check";
import { expect, test } from "vitest";
import { ImportBody } from "#contracts/http/imports.ts";
import {
  carriedOf,
  importBodyOf,
  NEW_FORM,
} from "#services/console/features/import/import-body.ts";
import { carriedIn, newScheduleAddress } from "#services/console/model/schedule-address.ts";
import { areaOf, withArea } from "#services/console/model/typed-bounds.ts";

test("what is left empty has no bound", () => {
  const bounds = { minMagnitude: "4.5", maxDepth: " ", minLongitude: "-170" };
  expect(importBodyOf({ ...NEW_FORM, bounds })).toEqual({
    hours: 24,
    minMagnitude: 4.5,
    minLongitude: -170,
    access: "internal",
    updateExisting: true,
    detail: "full",
  });
});

test("a region is asked for where one is chosen", () => {
  const region = "3b241101-e2bb-4255-8caf-4136c566a962";
  expect(importBodyOf({ ...NEW_FORM, region })).toMatchObject({ region });
  expect(importBodyOf(NEW_FORM)).not.toHaveProperty("region");
});

test("times may be written as people write them", () => {
  const body = importBodyOf({
    ...NEW_FORM,
    window: "dates",
    startDate: " 2024-01-31 12:00 ",
    endDate: "2024-02-01",
  });
  expect(ImportBody.parse(body)).toMatchObject({
    startDate: expect.stringMatching(/^2024-01-31T12:00:00/),
    endDate: expect.stringMatching(/^2024-02-01T00:00:00/),
  });
});

test("a window without an end lasts until now", () => {
  const body = importBodyOf({ ...NEW_FORM, window: "dates", startDate: "2024-01-31" });
  expect(body).not.toHaveProperty("endDate");
  expect(ImportBody.safeParse(body).success).toBe(true);
});

test("the target is one catalogue, there or new", () => {
  const both = {
    ...NEW_FORM,
    catalogueName: "New",
    catalogueId: "3b241101-e2bb-4255-8caf-4136c566a962",
  };
  expect(importBodyOf({ ...both, into: "new" })).not.toHaveProperty("catalogueId");
  const existing = importBodyOf({ ...both, into: "existing", access: "restricted" });
  expect(existing).not.toHaveProperty("catalogueName");
  expect(existing).not.toHaveProperty("access");
});

const degrees = (most: number) =>
  fc.integer({ min: -most * 100, max: most * 100 }).map((n) => n / 100);

test("an area on a map becomes bounds, and bounds an area", () => {
  fc.assert(
    fc.property(
      degrees(90),
      degrees(90),
      degrees(179),
      degrees(179),
      (south, north, west, east) => {
        const area = { south, north, west, east };
        expect(areaOf(withArea({ minDepth: "5" }, area))).toEqual(area);
        expect(withArea({ minDepth: "5" }, area).minDepth).toBe("5");
      },
    ),
  );
});

test("around the world there are no bounds of longitude", () => {
  const bounds = withArea({}, { south: -60, north: 60, west: -180, east: 180 });
  expect(importBodyOf({ ...NEW_FORM, bounds })).not.toHaveProperty("minLongitude");
  expect(areaOf(bounds)).toBeNull();
});

const bound = fc.integer({ min: -90, max: 90 }).map(String);
const form = fc
  .record({
    agency: fc.constantFrom("", "usgs"),
    region: fc.constantFrom("", "3b241101-e2bb-4255-8caf-4136c566a962"),
    hours: fc.integer({ min: 1, max: 87_600 }).map(String),
    bounds: fc.record(
      { minMagnitude: bound, maxDepth: bound, minLongitude: bound },
      { requiredKeys: [] },
    ),
    detail: fc.constantFrom("full" as const, "summary" as const),
    updateExisting: fc.boolean(),
  })
  .map((part) => ({ ...NEW_FORM, ...part }));

test("a schedule's form finds in its address what the import was asked for", () => {
  fc.assert(
    fc.property(form, (imported) => {
      const { searchParams, pathname } = new URL(
        newScheduleAddress("3b24", carriedOf(imported)),
        "http://console",
      );
      expect(pathname).toBe("/catalogues/3b24/schedules/new");
      const { bounds, ...carried } = carriedIn(searchParams);
      const { agency, region, detail, updateExisting, hours: lookbackHours } = imported;
      expect(carried).toEqual({ agency, region, detail, updateExisting, lookbackHours });
      const given = Object.entries(bounds).filter(([, typed]) => typed !== "");
      expect(Object.fromEntries(given)).toEqual(imported.bounds);
    }),
  );
});

test("a schedule asks for whole hours, and for a day where the import had two times", () => {
  expect(carriedOf({ ...NEW_FORM, hours: "0.4" }).lookbackHours).toBe("1");
  expect(carriedOf({ ...NEW_FORM, hours: "36.2" }).lookbackHours).toBe("37");
  expect(carriedOf({ ...NEW_FORM, window: "dates", hours: "5" }).lookbackHours).toBe("24");
});
