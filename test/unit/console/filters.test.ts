import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FILTER_NAMES } from "#contracts/query/filters.ts";
import { decodeColumns } from "#services/console/api/columns.ts";
import {
  areaOf,
  between,
  betweenRows,
  nothingAlong,
  passing,
  shapesOf,
  timeOf,
  withinMap,
  withoutShape,
  withSelection,
  withShape,
} from "#services/console/features/work/filters/filters.ts";
import {
  ordered,
  rowsInView,
  scrollTo,
  shownOf,
} from "#services/console/features/work/table-rows.ts";
import { columnsOfEvents } from "#services/console/model/event-columns.ts";
import {
  apiQueryOf,
  PANEL_TABS,
  SORT_COLUMNS,
  searchOf,
  type WorkState,
  workStateOf,
} from "#services/console/model/work-state.ts";
import { columnsOf } from "./columns.ts";

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

const degrees = (most: number) => fc.integer({ min: -most, max: most });

/** Longitudes from −180 to 180 by whole and half degrees, each on the equator. */
const longitude = Array.from({ length: 721 }, (_, i) => i / 2 - 180);
const columns = columnsOf({ longitude, latitude: longitude.map(() => 0) });
const isIn = (at: number, west: number, east: number) =>
  west <= east
    ? (at >= west && at <= east) || (Math.abs(at) === 180 && (west === -180 || east === 180))
    : at >= west || at <= east;

describe("only what the map shows", () => {
  test("leaves the filters alone without a map", () => {
    expect(withinMap({ minMagnitude: "3" }, null)).toEqual({ minMagnitude: "3" });
  });

  test("is a box of about ten metres more", () => {
    const map = { south: -40.123_41, north: -38.000_09, west: 175.000_01, east: 176.999_99 };
    expect(withinMap({ minMagnitude: "3", minLatitude: "-39.5" }, map)).toEqual({
      minMagnitude: "3",
      minLatitude: "-39.5",
      maxLatitude: "-38",
      minLongitude: "175",
      maxLongitude: "177",
    });
  });

  test("finds the events of both boxes, wherever the date line lies", () => {
    fc.assert(
      fc.property(degrees(180), degrees(180), degrees(179), degrees(179), (a, b, west, east) => {
        const typed = { minLongitude: String(a), maxLongitude: String(b) };
        const map = { south: -1, north: 1, west, east };
        const found = new Set(passing(columns, withinMap(typed, map)) ?? longitude.keys());
        const inBoth = (i: number) => {
          const at = longitude[i] ?? 0;
          return isIn(at, a, b) && isIn(at, west, east);
        };
        const missed = [...longitude.keys()].filter((i) => inBoth(i) && !found.has(i));
        expect(missed).toEqual([]);
        const further = [...found].filter((i) => !isIn(longitude[i] ?? 0, a, b));
        expect(further.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});

const AREA = [
  [
    [
      [178, -41],
      [182.5, -41],
      [180, -38.25],
      [178, -41],
    ],
  ],
] as const;
const BOX = { south: -42, north: -40, west: 170, east: 175 };

test("a polygon that is drawn is a filter beside a box, and drawn from it again", () => {
  const boxed = withShape({ minMagnitude: "3" }, { kind: "box", bounds: BOX });
  const filters = withShape(boxed, { kind: "polygon", area: AREA });
  expect(filters).toMatchObject({ minMagnitude: "3", minLatitude: "-42" });
  const shapes = shapesOf(filters, null, null);
  expect(shapes).toEqual([
    { kind: "box", bounds: BOX },
    { kind: "polygon", area: AREA },
  ]);
  const left = shapes.reduce(withoutShape, filters);
  expect(left).toEqual({ minMagnitude: "3" });
});

test("a polygon across the antimeridian is looked at as such", () => {
  const filters = withShape({}, { kind: "polygon", area: AREA });
  expect(areaOf(filters, null)).toEqual({ south: -41, north: -38.25, west: 178, east: -177.5 });
});

test("a saved region is drawn as soon as it is known, and taken away by its id", () => {
  const filters = { region: "3b241101-e2bb-4255-8caf-4136c566a962" };
  expect(shapesOf(filters, null, null)).toEqual([]);
  const [shape] = shapesOf(filters, null, { area: AREA, name: "Hikurangi", bounds: BOX });
  expect(shape).toEqual({ kind: "region", area: AREA, name: "Hikurangi" });
  expect(areaOf(filters, { area: AREA, name: null, bounds: BOX })).toEqual(BOX);
  expect(shape && withoutShape(filters, shape)).toEqual({});
});

test("a text that is no polygon is not drawn", () => {
  expect(shapesOf({ polygon: "POLYGON ((1 2" }, null, null)).toEqual([]);
  expect(areaOf({ polygon: "POLYGON ((1 2" }, null)).toBeNull();
});

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

const text = fc.string({ minLength: 1, unit: "grapheme" });
const states: fc.Arbitrary<WorkState> = fc.record({
  filters: fc.dictionary(fc.constantFrom(...FILTER_NAMES), text).map((found) => ({ ...found })),
  asOf: fc.option(text),
  inMap: fc.boolean(),
  map: fc.option(
    fc.record({
      zoom: fc.integer({ min: 0, max: 80 }).map((quarters) => quarters / 4),
      latitude: fc.integer({ min: -900_000, max: 900_000 }).map((n) => n / 10_000),
      longitude: fc.integer({ min: -1_800_000, max: 1_800_000 }).map((n) => n / 10_000),
    }),
  ),
  line: fc.option(
    fc.record({
      latitude: fc.integer({ min: -90, max: 90 }),
      longitude: fc.integer({ min: -180, max: 180 }),
      azimuth: fc.integer({ min: 0, max: 359 }),
      halfWidthKm: fc.integer({ min: 1, max: 500 }),
      lengthKm: fc.integer({ min: 1, max: 20_000 }),
    }),
  ),
  event: fc.option(fc.uuid()),
  colour: fc.constantFrom("depth", "age", "magnitude", "quality"),
  scale: fc.constantFrom("global", "local", null),
  sort: fc.constantFrom(...SORT_COLUMNS),
  order: fc.constantFrom("asc", "desc"),
  tab: fc.constantFrom(...PANEL_TABS),
});

describe("the address of a work page", () => {
  test("says all that the page shows", () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(workStateOf(searchOf(state))).toEqual(state);
      }),
    );
  });

  test("is empty where nothing was chosen, and takes nothing from nonsense", () => {
    const nothing = workStateOf("");
    expect(searchOf(nothing)).toBe("");
    expect(workStateOf("?inMap=yes&map=1/2&colour=pink&sort=name&order=up&minMagnitude=")).toEqual(
      nothing,
    );
    expect(workStateOf("?map=3//5").map).toBeNull();
    expect(workStateOf("?along=profile&throughLatitude=1&azimuth=90").line).toBeNull();
  });

  test("has the filters by the API's names, which are also what the API is asked", () => {
    const state = workStateOf("?minMagnitude=5&asOf=3&map=4/-40/175&startTime=2016-11-13T11:02");
    expect(searchOf(state)).toBe("?minMagnitude=5&startTime=2016-11-13T11:02&asOf=3&map=4/-40/175");
    expect(apiQueryOf(state)).toEqual({
      minMagnitude: "5",
      startTime: "2016-11-13T11:02",
      asOf: "3",
    });
  });
});

const CATALOGUE = "0f8fad5b-d9cb-469f-a165-70867728950e";

/** Two events packed by hand, byte by byte as contracts/docs/events.md tells. */
function packed(): ArrayBuffer {
  const header = {
    catalogue: CATALOGUE,
    version: 7,
    count: 2,
    columns: [
      { name: "id", type: "u32x2", offset: 512 },
      { name: "time", type: "f64", offset: 528 },
      { name: "latitude", type: "f32", offset: 544 },
      { name: "longitude", type: "f32", offset: 552 },
      { name: "depth", type: "f32", offset: 560 },
      { name: "magnitude", type: "f32", offset: 568 },
      { name: "magnitude_type", type: "u8", offset: 576, dictionary: [null, "Mw"] },
    ],
  };
  const json = new TextEncoder().encode(JSON.stringify(header).padEnd(504));
  const body = new ArrayBuffer(578);
  const bytes = new Uint8Array(body);
  const view = new DataView(body);
  bytes.set(new TextEncoder().encode("EQC1"));
  view.setUint32(4, json.length, true);
  bytes.set(json, 8);
  for (const [i, word] of [3, 0, 1, 41].entries()) view.setUint32(512 + 4 * i, word, true);
  for (const [i, ms] of [1_479_034_976_346.094, -1.5].entries()) {
    view.setFloat64(528 + 8 * i, ms, true);
  }
  const numbers = [-42.5, 10.25, 173, -179.5, 15, Number.NaN, 7.75, Number.NaN];
  for (const [i, number] of numbers.entries()) view.setFloat32(544 + 4 * i, number, true);
  view.setUint8(576, 1);
  return body;
}

describe("packed columns", () => {
  test("are read as they lie, unknown numbers as NaN, texts by their dictionary", () => {
    const columns = decodeColumns(packed());
    expect([columns.version, columns.count]).toEqual([7, 2]);
    expect([...columns.time]).toEqual([1_479_034_976_346.094, -1.5]);
    expect([...columns.latitude, ...columns.longitude]).toEqual([-42.5, 10.25, 173, -179.5]);
    expect([...columns.depth, ...columns.magnitude]).toEqual([15, Number.NaN, 7.75, Number.NaN]);
    expect(columns.idOf(0)).toBe("0f8fad5b-d9cb-869f-8000-000300000000");
    expect(columns.idOf(1)).toBe("0f8fad5b-d9cb-869f-8000-000100000029");
    expect([0, 1].map((i) => columns.textOf("magnitude_type", i))).toEqual(["Mw", null]);
    expect(columns.textOf("event_type", 0)).toBeNull();
    expect(columns.numbers("azimuthal_gap")).toBeUndefined();
  });

  test("are refused where they are none, or one is missing", () => {
    expect(() => decodeColumns(new ArrayBuffer(2))).toThrow("no columns");
    const broken = packed();
    const at = new TextDecoder().decode(broken).indexOf('"depth"');
    new Uint8Array(broken).set(new TextEncoder().encode('"d\\u0065 '), at);
    expect(() => decodeColumns(broken)).toThrow();
  });
});

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
