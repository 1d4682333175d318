import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { UploadReference } from "#contracts/http/uploads.ts";
import { wktArea } from "#contracts/query/filters.ts";
import { COLUMN_TARGETS } from "#contracts/seismic-event/columns.ts";
import { readArea, UnreadArea } from "#services/console/features/regions/read-area.ts";
import {
  columnsOf,
  fileSize,
  missingColumns,
  pickLines,
  reportCsv,
  reportLines,
  sizeProblem,
  withoutMagnitude,
} from "#services/console/features/upload/read-upload.ts";
import { testRows } from "../../support/test-rows.ts";

const piece = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r"), maxLength: 6 });

test("lines of a text in pieces are those of the whole text", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece),
      fc.array(fc.integer({ min: 1, max: 12 })),
      async (pieces, wanted) => {
        const lines = pieces.join("").split(/\r\n|\n|\r/);
        const found = await pickLines(pieces, new Set(wanted), 3);
        for (const number of wanted) expect(found.get(number)).toBe(lines[number - 1]?.slice(0, 3));
        expect(found.size).toBe(new Set(wanted.filter((number) => number <= lines.length)).size);
      },
    ),
  );
});

test("what comes after the last line that is wanted is not read", async () => {
  function* pieces() {
    yield "one\ntwo\nthree";
    throw new Error("read on");
  }
  expect(await pickLines(pieces(), new Set([2]), 9)).toEqual(new Map([[2, "two"]]));
});

test("a file of one line is looked through once, in however many pieces it comes", async () => {
  const exec = vi.spyOn(RegExp.prototype, "exec");
  onTestFinished(() => exec.mockRestore());
  await pickLines(Array(100).fill("0123456789"), new Set([1]), 5);
  const characters = exec.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  expect(characters).toBe(1_000);
});

test("a line longer than any text can be is read, and its beginning kept", async () => {
  function* pieces() {
    const piece = "x".repeat(2 ** 20);
    for (let i = 0; i < 2 ** 10; i++) yield piece;
    yield "\nnext\n";
  }
  expect(await pickLines(pieces(), new Set([1, 2]), 5)).toEqual(
    new Map([
      [1, "xxxxx"],
      [2, "next"],
    ]),
  );
});

test("the report goes by lines, and quotes what CSV asks for", () => {
  const lines = reportLines(
    { errors: [{ line: 3, message: 'has "no" time' }], warnings: [{ line: 2, message: "odd" }] },
    new Map([[3, "a,b"]]),
  );
  expect(reportCsv(lines)).toBe(
    'line,kind,message,row\r\n2,note,odd,\r\n3,unreadable,"has ""no"" time","a,b"\r\n',
  );
});

test("a line of the report that a spreadsheet would run as a formula is guarded, its number is not", () => {
  const lines = reportLines(
    { errors: [{ line: 2, message: "@odd" }], warnings: [] },
    new Map([[2, '=HYPERLINK("https://example.org")']]),
  );
  expect(reportCsv(lines)).toBe(
    `line,kind,message,row\r\n2,unreadable,'@odd,"'=HYPERLINK(""https://example.org"")"\r\n`,
  );
});

test("a column whose name another is chosen to have is left out, unless it is chosen too", () => {
  const headers = ["time", "breite", "latitude", "note"];
  expect(columnsOf({ breite: "latitude", note: null }, headers)).toEqual({
    breite: "latitude",
    latitude: null,
    note: null,
  });
  expect(columnsOf({ breite: "latitude", latitude: "longitude" }, headers)).toEqual({
    breite: "latitude",
    latitude: "longitude",
  });
  expect(columnsOf({}, headers)).toEqual({});
});

test("what is chosen is what the service takes", () => {
  const columns = columnsOf({ a: "magnitude", b: null }, ["a", "b", "magnitude"]);
  const uploadId = "0f8fad5b-d9cb-469f-a165-70867728950e";
  expect(UploadReference.parse({ uploadId, columns }).columns).toEqual(columns);
  for (const target of COLUMN_TARGETS) UploadReference.parse({ uploadId, columns: { a: target } });
});

test("what no column gives is missing", () => {
  expect(missingColumns(["origintime", "lat", "lon"], {})).toEqual([]);
  expect(missingColumns(["yr", "mo", "day", "lat", "lon"], { lat: null })).toEqual(["latitude"]);
  expect(missingColumns(["breite"], { breite: "latitude" })).toEqual(["time", "longitude"]);
});

test("a time is missing where its parts are no whole date", () => {
  const headers = ["jahr", "month", "day", "lat", "lon"];
  expect(missingColumns(headers, {})).toEqual(["time"]);
  expect(missingColumns(headers, { jahr: "year" })).toEqual([]);
  expect(missingColumns(headers, { jahr: "year", day: null })).toEqual(["time"]);
  expect(missingColumns(headers, { jahr: "time" })).toEqual([]);
});

test("rows without a magnitude are those that the columns leave empty which are read as one", () => {
  const upload = {
    headers: ["time", "magnitude", "size"],
    rowCount: 9,
    emptyCounts: { time: 0, magnitude: 4, size: 2 },
  };
  expect(withoutMagnitude(upload, {})).toEqual({ rows: 4, isExact: true });
  expect(withoutMagnitude(upload, { magnitude: null })).toEqual({ rows: 9, isExact: true });
  expect(withoutMagnitude(upload, { size: "magnitude" })).toEqual({ rows: 2, isExact: true });
  const both = { ...upload, headers: ["mag", "magnitude"], emptyCounts: { mag: 3, magnitude: 4 } };
  expect(withoutMagnitude(both, {})).toEqual({ rows: 3, isExact: false });
});

test("sizes are rounded up, so that none seems to be within a limit that it exceeds", () => {
  const MIB = 1024 * 1024;
  expect([fileSize(5), fileSize(1025), fileSize(3.55 * MIB), fileSize(100 * MIB)]).toEqual([
    "5 bytes",
    "2 KiB",
    "3.6 MiB",
    "100 MiB",
  ]);
  expect(sizeProblem(100 * MIB, 100 * MIB)).toBeUndefined();
  expect(sizeProblem(100 * MIB + 1, 100 * MIB)).toBe(
    "This file has 100.1 MiB. The largest that can be uploaded has 100 MiB.",
  );
  expect(sizeProblem(5 * MIB, undefined)).toBeUndefined();
});

const RING = [
  [174, -41],
  [176, -41],
  [175, -39],
  [174, -41],
];
const POLYGON = { type: "Polygon", coordinates: [RING] };
const feature = (geometry: object, properties: object | null = null) => ({
  type: "Feature",
  properties,
  geometry,
});
const collection = (...features: object[]) => ({ type: "FeatureCollection", features });

describe("the text of an area", () => {
  testRows(
    "is GeoJSON with one polygon or multipolygon",
    [
      ["a Polygon", POLYGON],
      ["a MultiPolygon", { type: "MultiPolygon", coordinates: [[RING]] }],
      ["a Feature", feature(POLYGON)],
      ["a FeatureCollection of one", collection(feature(POLYGON))],
      ["heights", { ...POLYGON, coordinates: [RING.map((place) => [...place, 12])] }],
    ],
    (_what, json) => {
      expect(readArea(`\n ${JSON.stringify(json)}`)).toEqual({ area: [[RING]], name: null });
    },
  );

  test("is WKT too", () => {
    const text = "POLYGON ((174 -41, 176 -41, 175 -39, 174 -41))";
    expect(readArea(` ${text}\n`)).toEqual({ area: [[RING]], name: null });
    expect(wktArea(text)).toEqual([[RING]]);
  });

  test("has the name of its feature", () => {
    const named = collection(feature(POLYGON, { name: " Wairarapa " }));
    expect(readArea(JSON.stringify(named)).name).toBe("Wairarapa");
  });

  testRows(
    "that is no area is refused in words",
    [
      [
        "several areas",
        JSON.stringify(collection(feature(POLYGON), feature(POLYGON))),
        /2 features/,
      ],
      ["none", JSON.stringify(collection()), /0 features/],
      ["a point", JSON.stringify({ type: "Point", coordinates: [1, 2] }), /is a Point/],
      ["other JSON", JSON.stringify({ a: 1 }), /no GeoJSON/],
      ["half a file", '{"type": "Polygon"', /no whole JSON/],
      ["no positions", JSON.stringify({ ...POLYGON, coordinates: [[["a"]]] }), /position/],
      ["no rings", JSON.stringify({ ...POLYGON, coordinates: null }), /rings/],
      ["neither", "a,b\n1,2", /neither GeoJSON nor WKT/],
    ],
    (_what, text, words) => {
      expect(() => readArea(text)).toThrow(UnreadArea);
      expect(() => readArea(text)).toThrow(words);
    },
  );

  test("that is no WKT is no area of an address", () => {
    expect(wktArea("POLYGON ((1 2))")).toBeNull();
    expect(wktArea(null)).toBeNull();
  });
});
