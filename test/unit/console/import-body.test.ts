import fc from "fast-check";
import { expect, test } from "vitest";
import { ImportBody } from "#contracts/http/imports.ts";
import {
  areaOf,
  importBodyOf,
  NEW_FORM,
  withArea,
} from "#services/console/features/import/import-body.ts";

test("what is left empty has no bound", () => {
  const bounds = { minMagnitude: "4.5", maxDepth: " ", minLongitude: "-170" };
  expect(importBodyOf({ ...NEW_FORM, bounds })).toEqual({
    hours: 24,
    minMagnitude: 4.5,
    minLongitude: -170,
    updateExisting: true,
    detail: "full",
  });
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
  expect(importBodyOf({ ...both, into: "existing" })).not.toHaveProperty("catalogueName");
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
