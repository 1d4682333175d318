import { expect, test } from "vitest";
import type { EventOrder } from "#contracts/query/filter-parameters.ts";
import { type Parameters, refusal } from "./api-reads.ts";
import { createModelCatalogue } from "./model-catalogue.ts";
import { at, expected, useFilteredEvents } from "./use-filtered-events.ts";

const { model, catalogueOf, filtered } = useFilteredEvents();

test("an unknown magnitude sorts below every known one", async () => {
  const magnitudes = [null, 3, -1, null, 7];
  const catalogue = await catalogueOf(
    ...magnitudes.map((magnitude) => ({ ...at(0, 0), magnitude })),
  );
  const order = async (orderBy: EventOrder) =>
    (await filtered(catalogue, { orderBy })).events.map((event) => event.magnitude);
  expect(await order("magnitude")).toEqual([7, 3, -1, null, null]);
  expect(await order("magnitude-asc")).toEqual([null, null, -1, 3, 7]);
});

test.each([
  [{ minLongitude: 170, maxLongitude: -170 }, [175, -175, 180, -180, 170, -170]],
  [{ minLongitude: 170, maxLongitude: 180 }, [175, 180, -180, 170]],
  [{ minLongitude: -180, maxLongitude: -170 }, [-175, 180, -180, -170]],
  [{ minLongitude: 170 }, [175, 180, -180, 170]],
  [{ maxLongitude: -170 }, [-175, 180, -180, -170]],
  [{ minLongitude: 180, maxLongitude: -180 }, [180, -180]],
  [{ minLongitude: 180, maxLongitude: 180 }, [180, -180]],
  [{ minLongitude: -180, maxLongitude: -180 }, [180, -180]],
  [{ minLongitude: -180, maxLongitude: 180 }, [175, -175, 180, -180, 170, -170, 0]],
  [{ minLongitude: -170, maxLongitude: 170 }, [170, -170, 0]],
])("±180° are one meridian to the box %j", async (query: Parameters, longitudes) => {
  const catalogue = await catalogueOf(...[175, -175, 180, -180, 170, -170, 0].map((l) => at(0, l)));
  const { events } = await filtered(catalogue, query);
  expect(events.map((event) => event.longitude).toSorted()).toEqual(longitudes.toSorted());
});

test.each([
  ["a pole, whatever its longitude", [90, 12], [90, -170]],
  ["the other pole", [-90, 0], [-90, 123.4]],
  ["the antimeridian", [33, 180], [33, -180]],
  ["the centre itself", [-41.2865, 174.7762], [-41.2865, 174.7762]],
])(
  "a circle of radius 0 holds %s",
  async (_, [latitude = 0, longitude = 0], [lat = 0, lon = 0]) => {
    const catalogue = await catalogueOf(at(lat, lon), at(lat > 0 ? lat - 1e-6 : lat + 1e-6, lon));
    const { count } = await filtered(catalogue, { latitude, longitude, maxRadiusKm: 0 });
    expect(count).toBe(1);
  },
);

test("a circle of half the circumference holds the antipode", async () => {
  const catalogue = await catalogueOf(at(-33, -10), at(90, 0));
  const circle = { latitude: 33, longitude: 170 };
  expect((await filtered(catalogue, { ...circle, maxRadiusKm: 20_016 })).count).toBe(2);
  expect((await filtered(catalogue, { ...circle, minRadiusKm: 20_015 })).count).toBe(1);
});

test("a filtered query bounds beyond every value are no error", async () => {
  const catalogue = await catalogueOf({ ...at(0, 0), used_station_count: 5, magnitude: 1 });
  const matching = [
    { minMagnitude: "-1e300" },
    { maxDepth: "1e300" },
    { endTime: "9999-12-31T23:59:59.999999Z" },
  ];
  const counts = matching.map(async (query) => (await filtered(catalogue, query)).count);
  expect(await Promise.all(counts)).toEqual([1, 0, 1]);
  const huge = { minUsedStationCount: Number.MAX_SAFE_INTEGER };
  expect((await filtered(catalogue, huge)).count).toBe(0);
});

test("without filters every event is answered, up to 10,000", async () => {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: Array.from({ length: 10_001 }, (_, i) => at(i / 1000, 0)) });
  const first = await filtered(catalogue);
  expect(first).toMatchObject({ count: 10_000, truncated: true });
  const rest = await filtered(catalogue, { cursor: first.nextCursor ?? "" });
  expect(rest).toMatchObject({ count: 1, truncated: false });
  expect([...first.events, ...rest.events]).toEqual(expected(catalogue, {}));
});

test.each([
  [{ minMagnitude: 5, maxMagnitude: 4 }, "minMagnitude"],
  [{ startTime: "2020-01-02", endTime: "2020-01-01" }, "startTime"],
  [{ startTime: "yesterday" }, "startTime"],
  [{ minLatitude: -91 }, "minLatitude"],
  [{ maxLongitude: 180.5 }, "maxLongitude"],
  [{ minDepth: "NaN" }, "minDepth"],
  [{ minDepth: "Infinity" }, "minDepth"],
  [{ minUsedStationCount: 1.5 }, "minUsedStationCount"],
  [{ latitude: 1, maxRadiusKm: 5 }, "longitude"],
  [{ longitude: 1, maxRadiusKm: 5 }, "latitude"],
  [{ maxRadiusKm: 5 }, "latitude"],
  [{ latitude: 1, longitude: 1 }, "maxRadiusKm"],
  [{ latitude: 1, longitude: 1, minRadiusKm: 9, maxRadiusKm: 8 }, "minRadiusKm"],
  [{ eventType: "earthquake,," }, "eventType"],
  [{ magnitudeType: "M\0" }, "magnitudeType"],
  [{ orderBy: "depth" }, "orderBy"],
  [{ limit: 10_001 }, "limit"],
  [{ page: 1 }, "page"],
])("a filtered query refuses %j by its name", async (query: Parameters, field) => {
  const catalogue = await createModelCatalogue(model.writer);
  expect(await refusal(filtered(catalogue, query))).toEqual({
    code: "VALIDATION_ERROR",
    fields: [field],
  });
});
