import { describe, expect, test } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { readJson } from "./read-json.ts";

const EMPTY = {
  time: "2021-03-04",
  latitude: null,
  longitude: null,
  depth: null,
  magnitude: null,
};

/** The row of an event with these members, given as JSON text. */
function rowOf(members: string): JsonObject | undefined {
  return readJson(`[{"time":"2021-03-04",${members}}]`).rows[0];
}

function warningsOf(members: string): string[] {
  return readJson(`[{"time":"2021-03-04","m":1,${members}}]`).warnings.map(
    ({ message }) => message,
  );
}

function rowOfFeature(geometry: string, properties: string): JsonObject | undefined {
  return readJson(`{"type":"Feature","geometry":${geometry},"properties":${properties}}`).rows[0];
}

describe("values in JSON", () => {
  test.each([
    [
      "numbers written as text",
      '"lat":" 1.50 ","nst":"12"',
      { latitude: 1.5, used_station_count: 12 },
    ],
    ["an id written as a number", '"id":17', { source_id: "17" }],
    ["an id beyond 2⁵³", '"id":12345678901234567891', { source_id: "12345678901234567891" }],
    [
      "the canonical name before aliases",
      '"mag":1,"magnitude":2',
      { magnitude: 2, extra: { mag: 1 } },
    ],
    ["an alias where the canonical one is blank", '"magnitude":" ","mag":1', { magnitude: 1 }],
    ["the type that a name implies", '"mw":5', { magnitude: 5, magnitude_type: "Mw" }],
    [
      "a type beside such a name",
      '"mw":5,"magType":"Mwc"',
      { magnitude: 5, magnitude_type: "Mwc" },
    ],
    ["a value out of its range as it is", '"latitude":999', { latitude: 999 }],
    ["text that is no number as it is", '"latitude":"north"', { latitude: "north" }],
    [
      "a magnitude that stands for none",
      '"mag":-9.9',
      { magnitude: null, extra: { magnitude: -9.9 } },
    ],
    [
      "a gap that stands for none",
      '"gap":-1',
      { azimuthal_gap: null, extra: { azimuthal_gap: -1 } },
    ],
    ["a depth above the sea", '"depth":-9', { depth: -9 }],
    [
      "a legacy event type",
      '"type":"sonicboom"',
      { event_type: "sonic boom", extra: { event_type: "sonicboom" } },
    ],
    ["an event type in capitals", '"type":"QUARRY_BLAST"', { event_type: "quarry blast" }],
    ["an unknown event type", '"type":"oops"', { event_type: null, extra: { event_type: "oops" } }],
    ["a blank event type", '"type":" "', { event_type: null }],
    [
      "an extra that has the kept name",
      '"mag":-9,"extra":{"magnitude":"x"}',
      { magnitude: null, extra: { magnitude: "x", "magnitude.1": -9 } },
    ],
    ["an extra that is no object", '"extra":"x"', { extra: { extra: "x" } }],
    [
      "structures written as text",
      '"extra":"{\\"a\\":1}","focal_mechanisms":"[{}]"',
      { extra: { a: 1 }, focal_mechanisms: [{}] },
    ],
    ["the last of two members of one name", '"mag":1,"mag":2', { magnitude: 2 }],
    ["half a surrogate pair", '"region":"\\ud800"', { region: "\ud800" }],
    ["a number beyond every double as text", '"rms":1e999', { standard_error: "1e999" }],
    ["a large moment as a number", '"moment":5.3e22', { extra: { moment: 5.3e22 } }],
    [
      "not a number as null",
      '"mag":NaN,"note":"NaN \\" NaN","x":-Infinity',
      { magnitude: null, extra: { note: 'NaN " NaN' } },
    ],
  ])("reads %s", (_, members, expected) => {
    expect(rowOf(members)).toEqual({ ...EMPTY, ...expected });
  });

  test.each([
    ['"latitude":999', ["latitude: 999 is not between -90 and 90 deg"]],
    ['"rms":-0.5', ["standard_error: -0.5 is less than 0 s"]],
    ['"depth":"deep"', ['depth: "deep" is not a number']],
    ['"mag":-9', ['magnitude: -9 stands for "not known"; it is kept under extra']],
    ['"type":"nuke"', ['event_type: "nuke" is read as "nuclear explosion"']],
    ['"type":"EARTHQUAKE"', []],
    [`"net":"${"x".repeat(65)}"`, ["agency_id: is longer than 64 characters"]],
    ['"region":["a"]', ['region: ["a"] is not a text']],
    ['"mag":NaN', ["NaN or Infinity is not JSON and is read as null"]],
    ['"a":{"__proto__":{"b":1}}', ["a member that would set a prototype is left out"]],
    [
      '"lat":359,"lon":359',
      [
        "latitude: 359 is not between -90 and 90 deg",
        "longitude: longitudes of 180 to 360 are read as those of −180 to 0",
      ],
    ],
  ])("warns of %s", (members, expected) => {
    expect(warningsOf(members)).toEqual(expected);
  });

  test.each([
    [
      '"status":"reviewed"',
      {
        evaluation_mode: "manual",
        evaluation_status: "reviewed",
        extra: { status: "reviewed" },
      },
    ],
    [
      '"status":"reviewed","evaluation_mode":"automatic"',
      {
        evaluation_mode: "automatic",
        evaluation_status: "reviewed",
        extra: { status: "reviewed" },
      },
    ],
    ['"status":"felt"', { extra: { status: "felt" } }],
    ['"agency":"ZZ"', { agency_id: "ZZ" }],
    ['"net":"zz","agency_id":"ZZ"', { agency_id: "ZZ", extra: { net: "zz" } }],
    ['"DEPFIX":true', { depth_type: "operator assigned", extra: { DEPFIX: true } }],
    ['"DepthMeters":"12345.6"', { depth: 12.3456 }],
    ['"depth_m":1e4', { depth: 10 }],
  ])("of agencies' own names are understood: %s", (members, expected) => {
    expect(rowOf(members)).toEqual({ ...EMPTY, ...expected });
  });

  test("are a time where it is given in parts, which are kept where they make none", () => {
    const day = '"year":2021,"month":12,"day":31';
    const [plain, carried, none] = readJson(
      `[{${day},"hour":5,"minute":46,"second":23.12,"mag":1},` +
        `{${day},"hour":23,"minute":60,"second":1.5,"mag":1},\n` +
        `{"year":2021,"month":13,"day":1,"mag":1}]`,
    ).rows;
    expect(plain).toEqual({ ...EMPTY, time: "2021-12-31 5:46:23.12", magnitude: 1 });
    expect(carried).toEqual({ ...EMPTY, time: "2022-01-01T00:00:01.5Z", magnitude: 1 });
    expect(none).toMatchObject({ time: null, extra: { year: 2021, month: 13, day: 1 } });
    const { warnings } = readJson('[{"year":2021,"month":13,"day":1,"mag":1}]');
    expect(warnings).toEqual([
      { line: 1, message: "time: no time can be made of year 2021, month 13, day 1" },
    ]);
  });

  test("are unknown where GeoNet's quakesearch writes 0 for it, and kept", () => {
    const zeros = '"originerror":0,"azimuthalgap":0.0,"magnitudeuncertainty":0,"usedphasecount":0';
    const quake = `{"publicid":"a","origintime":"2021-03-04","magnitude":0,"depth":0,${zeros}}`;
    const { rows, warnings } = readJson(`[${quake},\n${quake}]`);
    expect(rows[1]).toMatchObject({
      magnitude: 0,
      depth: 0,
      standard_error: null,
      azimuthal_gap: null,
      magnitude_uncertainty: null,
      used_phase_count: 0,
      extra: { standard_error: 0, azimuthal_gap: 0, magnitude_uncertainty: 0 },
    });
    expect(warnings).toHaveLength(3);
    const other = readJson(`[{"id":"a","time":"2021-03-04","magnitude":0,${zeros}}]`);
    expect(other.rows).toMatchObject([{ standard_error: 0, azimuthal_gap: 0 }]);
    expect(other.warnings).toEqual([]);
  });

  test("are null for a magnitude that no event of the file is given, which is warned of once", () => {
    const text = '[{"time":"2021-03-04","lat":1},\n{"time":"2021-03-05","lat":2}]';
    const { rows, warnings } = readJson(text);
    expect(rows.map((row) => row["magnitude"])).toEqual([null, null]);
    const message = "No member is recognised as magnitude; it is null, not known, in all rows";
    expect(warnings).toEqual([{ line: 1, message }]);
    expect(readJson(text.replace('"lat":2', '"mag":null')).warnings).toEqual([]);
  });

  test.each([
    ["milliseconds", "1614886111551", "2021-03-04T19:28:31.551Z"],
    ["microseconds", "1614886111551.25", "2021-03-04T19:28:31.551250Z"],
    ["a time before 1970", "-1", "1969-12-31T23:59:59.999Z"],
    ["a time beyond year 9999", "1e18", 1e18],
    ["any other text", '"yesterday"', "yesterday"],
  ])("reads a time given as %s", (_, given, expected) => {
    expect(readJson(`[{"time":${given}}]`).rows[0]?.["time"]).toBe(expected);
  });

  test("joins a date with a time of day, and keeps a date beside a whole time", () => {
    const [joined, kept, alone] = readJson(
      '[{"date":"2021-03-04","time":"12:30"},{"date":"x","time":"2021-03-04T12:30Z"},{"time":"12:30"}]',
    ).rows;
    expect(joined?.["time"]).toBe("2021-03-04 12:30");
    expect(kept).toMatchObject({ time: "2021-03-04T12:30Z", extra: { date: "x" } });
    expect(alone?.["time"]).toBe("12:30");
  });

  test("leaves out the largest members of an extra that is too large to be kept", () => {
    const text = `[{"mag":1,"a":"${"x".repeat(70_000)}","b":"${"y".repeat(60_000)}","c":1}]`;
    const { rows, warnings } = readJson(text);
    expect(rows[0]?.["extra"]).toEqual({ b: "y".repeat(60_000), c: 1 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toMatch(/^a is left out/);
  });
});

describe("positions of Features", () => {
  test.each([
    ["the third coordinate", "[2,1,30]", "{}", { longitude: 2, latitude: 1, depth: 30 }],
    ["no third coordinate", "[2,1]", "{}", { longitude: 2, latitude: 1, depth: null }],
    ["a negative one as EMSC writes it", "[2,1,-30]", "{}", { depth: 30 }],
    ["a depth in the properties", "[2,1,-30]", '{"depth":4.5}', { depth: 4.5 }],
    ["metres of our export beside kilometres", "[2,1,-4500]", '{"depth":4.5}', { depth: 4.5 }],
    ["a position in the properties", "[2,1]", '{"lat":7,"lon":8}', { latitude: 7, longitude: 8 }],
  ])("positions of Features take %s", (_, coordinates, properties, expected) => {
    const geometry = `{"type":"Point","coordinates":${coordinates}}`;
    expect(rowOfFeature(geometry, properties)).toMatchObject(expected);
  });

  test("positions of Features may stand in the properties alone, which is warned of", () => {
    const read = readJson('{"type":"Feature","geometry":null,"properties":{"lat":7,"lon":8}}');
    expect(read.rows[0]).toMatchObject({ latitude: 7, longitude: 8 });
    expect(read.warnings[0]?.message).toBe(
      "the geometry is missing; its properties say where it is",
    );
  });

  test.each([
    ["null", "the geometry is missing"],
    ["3", "the geometry is no object"],
    ['{"type":"MultiPoint","coordinates":[[1,2]]}', "the geometry is no Point"],
    ['{"type":"Point"}', "the coordinates are not longitude, latitude and an optional depth"],
    [
      '{"type":"Point","coordinates":[1]}',
      "the coordinates are not longitude, latitude and an optional depth",
    ],
    [
      '{"type":"Point","coordinates":["1",2]}',
      "the coordinates are not longitude, latitude and an optional depth",
    ],
    [
      '{"type":"Point","coordinates":[1,2,"x"]}',
      "the coordinates are not longitude, latitude and an optional depth",
    ],
  ])("positions of Features are an error as %s", (geometry, message) => {
    const text = `{"features":[\n{"type":"Feature","geometry":${geometry},"properties":{"mag":1}}]}`;
    expect(readJson(text)).toMatchObject({ rows: [], errors: [{ line: 2, message }] });
  });

  test("positions of Features are warned of when the file says that they are no longitudes and latitudes", () => {
    const crs = '{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::2193"}}';
    const of = (name: string) => `{"crs":${name},"features":[]}`;
    expect(readJson(of(crs)).warnings[0]?.message).toMatch(/^crs is .*EPSG::2193/);
    expect(readJson(of(crs.replace("EPSG::2193", "OGC:1.3:CRS84"))).warnings).toEqual([]);
  });
});
