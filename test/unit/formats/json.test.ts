import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { MAX_ELEMENT_LENGTH } from "#infra/formats/json/scanner.ts";
import { eventsOf, readJson } from "../../support/formats/readers.ts";
import { REAL_DATA_DIR } from "../../support/real-data.ts";

// What agencies' files are read as stands beside them in test/fixtures/formats: see golden.test.ts.

const EVENT = '{"time":"2021-03-04","latitude":1,"longitude":2,"depth":3,"magnitude":4}';
const ROW = { time: "2021-03-04", latitude: 1, longitude: 2, depth: 3, magnitude: 4 };
const FEATURE =
  '{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1,3]},"properties":{"time":"2021-03-04","mag":4}}';

test("JSON is read in any shape that has events", () => {
  const json = [
    [`[${EVENT},${EVENT}]`, 2],
    ["[]", 0],
    [`{"name":"x","events":[${EVENT}],"more":{"events":[1]}}`, 1],
    [`{"e\\u0076ents":[${EVENT}]}`, 1],
    [EVENT, 1],
    [`${EVENT}\n${EVENT}\r\n\n${EVENT}\n`, 3],
    [`${EVENT} ${EVENT}`, 2],
    [`\u001e${EVENT}\n\u001e${EVENT}\n`, 2],
    [`\ufeff[${EVENT}]`, 1],
  ] as const;
  const geojson = [
    [`{"type":"FeatureCollection","features":[${FEATURE}]}`, 1],
    [`{"features":[${FEATURE}],"type":"F"}`, 1],
    ['{"type":"FeatureCollection","features":[]}', 0],
    [FEATURE, 1],
    [`${FEATURE}\n${FEATURE}`, 2],
    [`[${FEATURE}]`, 1],
    ...["eqfeed_callback(", " cb.x (\n", "$("].map(
      (call) => [`${call}{"type":"FeatureCollection","features":[${FEATURE}]});\n`, 1] as const,
    ),
  ] as const;
  for (const [format, files] of Object.entries({ json, geojson })) {
    for (const [text, count] of files) {
      const headers = count === 0 ? [] : Object.keys(ROW);
      const rows = Array.from({ length: count }, () => ROW);
      const read = { format, headers, rows, errors: [], warnings: [] };
      expect(readJson(text), text).toMatchObject(read);
    }
  }
});

/** An event of magnitude `m`. */
const e = (m: number) => `{"mag":${m},"place":"x"}`;
const magnitudesOf = (rows: readonly JsonObject[]) => rows.map((row) => row["magnitude"]);

describe("what is broken in JSON", () => {
  test("what is broken in JSON is told with its line, and reading goes on", () => {
    const files: readonly (readonly [text: string, magnitudes: number[], lines: number[]])[] = [
      [`[${e(1)},\n5,\n${e(2)}]`, [1, 2], [2]],
      [`[${e(1)},\n{"mag":}\n,${e(2)}]`, [1, 2], [2]],
      [`[${e(1)},\n{"mag":7,\n${e(2)},${e(3)}]`, [1, 2, 3], [2]],
      [`[${e(1)},\n{"mag":7,"a":[1,2},\n${e(2)}]`, [1, 2], [2]],
      [`[${e(1)},\n{"mag":7}},\n${e(2)}]`, [1, 2], [2]],
      [`[${e(1)},\n{"mag":7,"place":"x},\n${e(2)}]`, [1, 2], [2]],
      [`[\n{"mag":7,},\n${e(2)}]`, [2], [2]],
      [`[\n// {"mag":7}\n${e(1)},\n${e(2)}]`, [1, 2], [2]],
      [`{"events":[${e(1)},\n{"mag":7],"n":{"a":1}}`, [1], [2]],
      [`[${e(1)},\n{"a":1},{}]`, [1], [2, 2]],
      [`[${e(1)},\n{"mag":7,"pl`, [1], [2, 2]],
      [`[${e(1)},\n${e(2)}\n`, [1, 2], [3]],
      [`{"events":[${e(1)}],\n"n`, [1], [1]],
      [`[${e(1)}]\n]`, [1], [2]],
      [`${e(1)}\n{"mag":7,"pl\n${e(2)}\n`, [1, 2], [2]],
      [`${e(1)}\n{"mag":7,"a":[1,\n${e(2)}`, [1, 2], [2]],
      [`{"mag":7,"pl\n${e(1)}\n${e(2)}`, [1, 2], [1]],
      [`${e(1)}\nhello {"mag":7}\n${e(2)}`, [1, 2], [2]],
      [`${e(1)}\n{"mag":7`, [1], [2]],
    ];
    for (const [text, magnitudes, lines] of files) {
      for (const { rows, errors } of [readJson(text), readJson([...text])]) {
        expect(magnitudesOf(rows), text).toEqual(magnitudes);
        expect(
          errors.map((error) => Number.parseInt(error, 10)),
          text,
        ).toEqual(lines);
      }
    }
  });

  test("what is broken in JSON beside events is a warning", () => {
    for (const [text, message] of [
      [`[${e(1)},\n]`, "nothing stands between a comma and the list's end"],
      [`[${e(1)},\n,${e(2)}]`, "nothing stands before this comma"],
      [`[${e(1)}\n${e(2)}]`, "a comma is missing before this event"],
      [`{"events":[${e(1)}],\n"events":[${e(2)}]}`, "another list of events begins here"],
    ] as const) {
      const { errors, warnings, rows } = readJson(text);
      expect({ errors, warnings }, text).toEqual({ errors: [], warnings: [`2: ${message}`] });
      expect(rows.length).toBe(text.split("mag").length - 1);
    }
  });

  test("what is no event is told with what was expected", () => {
    for (const text of ['{"a":1}', '{"type":"Topology"}', '{"features":{}}', '{"events":null}']) {
      const { rows, errors } = readJson(text);
      const message = /^1: is no event: expected a list of events, an object/;
      expect([rows, errors], text).toEqual([[], [expect.stringMatching(message)]]);
    }
    for (const text of ["", " \n", "\ufeff"]) {
      expect(readJson(text).errors, text).toEqual(["1: holds no events"]);
    }
  });

  test("what is nested too deep or too long is told, and not held", () => {
    const deep = (levels: number) => `{"mag":7,"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    const nested = readJson(`[${deep(62)},\n${deep(63)},\n${e(1)}]`);
    expect(magnitudesOf(nested.rows)).toEqual([7, 1]);
    expect(nested.errors).toEqual(["2: is nested deeper than 64 levels"]);
    const piece = "x".repeat(64 * 1024);
    const pieces = Array.from({ length: MAX_ELEMENT_LENGTH / piece.length }, () => piece);
    const long = readJson([`[${e(1)},\n{"mag":7,"a":"`, ...pieces, `"},\n${e(2)}]`]);
    expect(magnitudesOf(long.rows)).toEqual([1, 2]);
    expect(long.errors).toEqual([`2: is longer than ${MAX_ELEMENT_LENGTH} characters`]);
  });

  test("what stands before the events is passed over, however large", () => {
    const pieces = Array.from({ length: 100 }, () => `"${"x".repeat(64 * 1024)}",`);
    const read = readJson(['{"index":[', ...pieces, `1],"events":[${e(1)}]}`]);
    expect(read).toMatchObject({ errors: [], warnings: [], rows: { length: 1 } });
  });
});

const MEGABYTE = 1024 * 1024;

describe("a hostile file", () => {
  test("a hostile file of one string without end is read in bounded memory", () => {
    const piece = "x".repeat(MEGABYTE);
    const before = process.memoryUsage().heapUsed;
    let highest = 0;
    function* text() {
      yield '[{"mag":1},{"mag":2,"place":"';
      for (let i = 0; i < 64; i++) {
        yield piece;
        highest = Math.max(highest, process.memoryUsage().heapUsed);
      }
      yield '"},{"mag":3}]';
    }
    const { rows, errors } = readJson(text());
    expect([magnitudesOf(rows), errors.length]).toEqual([[1, 3], 1]);
    expect(highest - before).toBeLessThan(32 * MEGABYTE);
  });

  test("a hostile file of brackets, quotes and empty objects is told, without a deep stack", () => {
    const many = 100_000;
    for (const [text, rows, least, most] of [
      [`[${"[".repeat(many)}`, 0, 2, 3],
      [`[${'{"a":'.repeat(many)}`, 0, 1, 3],
      [`[${"[".repeat(many)}${"]".repeat(many)}`, 0, 1, 3],
      [`[${"{},".repeat(many - 1)}{}]`, 0, many, many],
      [`{"events":[${"[{".repeat(31)}${"]}".repeat(many)}`, 0, 1, many],
      [`[{"mag":${'"\\'.repeat(many)}\n,NaN,{"mag":1}]`, 1, 1, 1],
    ] as const) {
      const read = readJson(text);
      expect(read.rows, text.slice(0, 20)).toHaveLength(rows);
      expect(read.errors.length >= least && read.errors.length <= most).toBe(true);
    }
  });

  test("a hostile file of as many shapes as events is read", () => {
    const events = Array.from({ length: 5000 }, (_, i) => `{"mag":1,"name-${i}":${i}}`);
    const { rows, errors } = readJson(`[${events.join()}]`);
    expect(errors).toEqual([]);
    expect(rows[4999]?.["extra"]).toEqual({ "name-4999": 4999 });
    expect(Object.prototype).not.toHaveProperty("polluted");
  });
});

/** What an event with these members, given as JSON text, is read as. */
const readEvent = (members: string) => readJson(`[{"time":"2021-03-04",${members}}]`);
const EMPTY = {
  ...{ time: "2021-03-04", latitude: null, longitude: null },
  ...{ depth: null, magnitude: null },
};

describe("values in JSON", () => {
  test("values in JSON are read by what their members are", () => {
    const members: readonly (readonly [members: string, known: JsonObject])[] = [
      ['"lat":" 1.50 ","nst":"12"', { latitude: 1.5, used_station_count: 12 }],
      ['"id":17', { source_id: "17" }],
      ['"id":12345678901234567891', { source_id: "12345678901234567891" }],
      ['"mag":1,"magnitude":2', { magnitude: 2, extra: { mag: 1 } }],
      ['"magnitude":" ","mag":1', { magnitude: 1 }],
      ['"mw":5', { magnitude: 5, magnitude_type: "Mw" }],
      ['"mw":5,"magType":"Mwc"', { magnitude: 5, magnitude_type: "Mwc" }],
      ['"latitude":999', { latitude: 999 }],
      ['"latitude":"north"', { latitude: "north" }],
      ['"mag":-9.9', { magnitude: null, extra: { magnitude: -9.9 } }],
      ['"gap":-1', { azimuthal_gap: null, extra: { azimuthal_gap: -1 } }],
      ['"depth":-9', { depth: -9 }],
      ['"type":"sonicboom"', { event_type: "sonic boom", extra: { event_type: "sonicboom" } }],
      ['"type":"QUARRY_BLAST"', { event_type: "quarry blast" }],
      ['"type":"oops"', { event_type: null, extra: { event_type: "oops" } }],
      ['"type":" "', { event_type: null }],
      [
        '"mag":-9,"extra":{"magnitude":"x"}',
        { magnitude: null, extra: { magnitude: "x", "magnitude.1": -9 } },
      ],
      ['"extra":"x"', { extra: { extra: "x" } }],
      [
        '"extra":"{\\"a\\":1}","focal_mechanisms":"[{}]"',
        { extra: { a: 1 }, focal_mechanisms: [{}] },
      ],
      ['"mag":1,"mag":2', { magnitude: 2 }],
      ['"region":"\\ud800"', { region: "\ud800" }],
      ['"rms":1e999', { standard_error: "1e999" }],
      ['"moment":5.3e22', { extra: { moment: 5.3e22 } }],
      [
        '"mag":NaN,"note":"NaN \\" NaN","x":-Infinity',
        { magnitude: null, extra: { note: 'NaN " NaN' } },
      ],
      // Agencies' own names.
      [
        '"status":"reviewed"',
        { evaluation_mode: "manual", evaluation_status: "reviewed", extra: { status: "reviewed" } },
      ],
      [
        '"status":"reviewed","evaluation_mode":"automatic"',
        {
          ...{ evaluation_mode: "automatic", evaluation_status: "reviewed" },
          extra: { status: "reviewed" },
        },
      ],
      ['"status":"felt"', { extra: { status: "felt" } }],
      ['"agency":"ZZ"', { agency_id: "ZZ" }],
      ['"net":"zz","agency_id":"ZZ"', { agency_id: "ZZ", extra: { net: "zz" } }],
      ['"DEPFIX":true', { depth_type: "operator assigned", extra: { DEPFIX: true } }],
      ['"DepthMeters":"12345.6"', { depth: 12.3456 }],
      ['"depth_m":1e4', { depth: 10 }],
      // Times.
      ['"time":1614886111551', { time: "2021-03-04T19:28:31.551Z" }],
      ['"time":1614886111551.25', { time: "2021-03-04T19:28:31.551250Z" }],
      ['"time":-1', { time: "1969-12-31T23:59:59.999Z" }],
      ['"time":1e18', { time: 1e18 }],
      ['"time":"yesterday"', { time: "yesterday" }],
    ];
    for (const [text, known] of members) {
      expect(readEvent(text).rows, text).toEqual([{ ...EMPTY, ...known }]);
    }
  });

  test("values in JSON that are doubtful are warned of", () => {
    for (const [text, ...warnings] of [
      ['"latitude":999', "latitude: 999 is not between -90 and 90 deg"],
      ['"rms":-0.5', "standard_error: -0.5 is less than 0 s"],
      ['"depth":"deep"', 'depth: "deep" is not a number'],
      ['"mag":-9', 'magnitude: -9 stands for "not known"; it is kept under extra'],
      ['"type":"nuke"', 'event_type: "nuke" is read as "nuclear explosion"'],
      ['"type":"EARTHQUAKE"'],
      [`"net":"${"x".repeat(65)}"`, "agency_id: is longer than 64 characters"],
      ['"region":["a"]', 'region: ["a"] is not a text'],
      ['"mag":NaN', "NaN or Infinity is not JSON and is read as null"],
      ['"a":{"__proto__":{"b":1}}', "a member that would set a prototype is left out"],
      [
        '"lat":359,"lon":359',
        "latitude: 359 is not between -90 and 90 deg",
        "longitude: longitudes of 180 to 360 are read as those of −180 to 0",
      ],
    ] as const) {
      const told = readEvent(`"m":1,${text}`).warnings;
      expect(told, text).toEqual(warnings.map((warning) => `1: ${warning}`));
    }
    const known = '[{"time":"2021-03-04","lat":1},{"time":"2021-03-05","mag":null}]';
    expect(readJson(known).warnings).toEqual([]);
  });

  test("values in JSON of an extra that is too large are left out from the largest on", () => {
    const text = `[{"mag":1,"a":"${"x".repeat(70_000)}","b":"${"y".repeat(60_000)}","c":1}]`;
    const { rows, warnings } = readJson(text);
    expect(rows[0]?.["extra"]).toEqual({ b: "y".repeat(60_000), c: 1 });
    expect(warnings).toEqual([expect.stringMatching(/^1: a is left out/)]);
  });
});

test("positions of Features are those of their geometries, unless their properties say another", () => {
  for (const [coordinates, properties, expected] of [
    ["[2,1,30]", "{}", { longitude: 2, latitude: 1, depth: 30 }],
    ["[2,1]", "{}", { longitude: 2, latitude: 1, depth: null }],
    ["[2,1,-30]", "{}", { depth: 30 }],
    ["[2,1,-30]", '{"depth":4.5}', { depth: 4.5 }],
    ["[2,1,-4500]", '{"depth":4.5}', { depth: 4.5 }],
    ["[2,1]", '{"lat":7,"lon":8}', { latitude: 7, longitude: 8 }],
  ] as const) {
    const geometry = `{"type":"Point","coordinates":${coordinates}}`;
    const text = `{"type":"Feature","geometry":${geometry},"properties":${properties}}`;
    expect(readJson(text).rows, text).toMatchObject([expected]);
  }
  const coordinates = "the coordinates are not longitude, latitude and an optional depth";
  for (const [geometry, message] of [
    ["null", "the geometry is missing"],
    ["3", "the geometry is no object"],
    ['{"type":"MultiPoint","coordinates":[[1,2]]}', "the geometry is no Point"],
    ['{"type":"Point"}', coordinates],
    ['{"type":"Point","coordinates":[1]}', coordinates],
    ['{"type":"Point","coordinates":["1",2]}', coordinates],
    ['{"type":"Point","coordinates":[1,2,"x"]}', coordinates],
  ] as const) {
    const text = `{"features":[\n{"type":"Feature","geometry":${geometry},"properties":{"mag":1}}]}`;
    expect(readJson(text), text).toMatchObject({ rows: [], errors: [`2: ${message}`] });
  }
});

test("a file that says that its positions are no longitudes and latitudes is warned of", () => {
  const crs = (name: string) =>
    `{"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:${name}"}},"features":[]}`;
  expect(readJson(crs("EPSG::2193")).warnings[0]).toMatch(/^1: crs is .*EPSG::2193/);
  expect(readJson(crs("OGC:1.3:CRS84")).warnings).toEqual([]);
});

const DATA = join(REAL_DATA_DIR, "geojson");

test.skipIf(!existsSync(DATA))("real files are read whole, and their events can be posted", () => {
  for (const name of ["usgs_classes_summary_3.json", "usgs_csep_summary_3.json"]) {
    const text = readFileSync(join(DATA, name), "utf8");
    const { rows, errors, warnings, format } = readJson(text);
    expect({ format, errors }, name).toEqual({ format: "geojson", errors: [] });
    const value = JSON.parse(text);
    expect(rows).toHaveLength(value.type === "Feature" ? 1 : value.features.length);
    expect(warnings.map((note) => note.split(": ")[1])).toEqual(["products is left out"]);
    const event = { time: "2011-03-11T05:46:24.120Z", magnitude: 9.1, depth: 29 };
    expect(eventsOf(rows)).toMatchObject({ events: rows.map(() => event), faults: [] });
  }
});
