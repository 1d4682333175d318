import { describe, expect, test } from "vitest";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { FIXTURES, fixture, readJson } from "./read-json.ts";

const EVENT = '{"time":"2021-03-04","latitude":1,"longitude":2,"depth":3,"magnitude":4}';
const ROW = { time: "2021-03-04", latitude: 1, longitude: 2, depth: 3, magnitude: 4 };
const FEATURE =
  '{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1,3]},"properties":{"time":"2021-03-04","mag":4}}';

describe("the JSON reader", () => {
  test.each([
    ["a list", `[${EVENT},${EVENT}]`, 2, "json"],
    ["an empty list", "[]", 0, "json"],
    ["an object with events", `{"name":"x","events":[${EVENT}],"more":{"events":[1]}}`, 1, "json"],
    ["a name that is escaped", `{"e\\u0076ents":[${EVENT}]}`, 1, "json"],
    ["a single event", EVENT, 1, "json"],
    ["events one on a line", `${EVENT}\n${EVENT}\r\n\n${EVENT}\n`, 3, "json"],
    ["events one after another", `${EVENT} ${EVENT}`, 2, "json"],
    ["a JSON text sequence", `\u001e${EVENT}\n\u001e${EVENT}\n`, 2, "json"],
    ["a byte order mark", `\ufeff[${EVENT}]`, 1, "json"],
    ["a FeatureCollection", `{"type":"FeatureCollection","features":[${FEATURE}]}`, 1, "geojson"],
    ["a FeatureCollection, members last", `{"features":[${FEATURE}],"type":"F"}`, 1, "geojson"],
    ["an empty FeatureCollection", '{"type":"FeatureCollection","features":[]}', 0, "geojson"],
    ["a Feature", FEATURE, 1, "geojson"],
    ["Features one on a line", `${FEATURE}\n${FEATURE}`, 2, "geojson"],
    ["a list of Features", `[${FEATURE}]`, 1, "geojson"],
  ])("the JSON reader reads %s", (_, text, count, format) => {
    const read = readJson(text);
    expect(read.errors).toEqual([]);
    expect(read.warnings).toEqual([]);
    expect(read.format).toBe(format);
    expect(read.rows).toEqual(Array.from({ length: count }, () => ROW));
    expect(read.headers).toEqual(count === 0 ? [] : Object.keys(ROW));
  });

  test("the JSON reader reads USGS's summary, times to the millisecond and what is ours by our names", () => {
    const { rows, format } = readJson(fixture("usgs.geojson"));
    expect(format).toBe("geojson");
    expect(rows[0]).toEqual({
      time: "2021-03-04T19:28:31.551Z",
      latitude: -29.7354,
      longitude: -177.2914,
      depth: 28.93,
      magnitude: 8.1,
      magnitude_type: "mww",
      region: "Kermadec Islands, New Zealand",
      source_id: "zz7000demo",
      event_type: "earthquake",
      evaluation_mode: "manual",
      evaluation_status: "reviewed",
      used_station_count: 143,
      azimuthal_gap: 13,
      standard_error: 1.04,
      minimum_distance: 0.61,
      agency_id: "zz",
      extra: {
        updated: "2021-03-05T19:36:40.123Z",
        url: "https://example.org/eventpage/zz7000demo",
        detail: "https://example.org/detail/zz7000demo.geojson",
        felt: 12,
        cdi: 4.3,
        mmi: 7.4,
        alert: "green",
        status: "reviewed",
        tsunami: 1,
        sig: 1021,
        code: "7000demo",
        ids: ",zz7000demo,aa21063007,",
        sources: ",zz,aa,",
        types: ",dyfi,origin,phase-data,",
        title: "M 8.1 - Kermadec Islands, New Zealand",
      },
    });
    expect(rows[1]).toMatchObject({ depth: -1.2, evaluation_mode: "automatic" });
    expect(rows[2]).toMatchObject({
      time: "1969-07-20T20:17:39.877Z",
      depth: null,
      magnitude: null,
      evaluation_status: "rejected",
    });
  });

  test("the JSON reader reads EMSC's answer: unid is the id, properties go before the geometry", () => {
    const { rows, warnings } = readJson(fixture("emsc.json"));
    expect(rows[0]).toEqual({
      time: "2021-03-04T18:38:19.3Z",
      latitude: 38.41,
      longitude: 22.17,
      depth: 10.4,
      magnitude: 5.9,
      magnitude_type: "mw",
      region: "GREECE",
      source_id: "20210304_0000999",
      event_type: "earthquake",
      author: "DEMO",
      extra: {
        event_type: "ke",
        emsc_source_id: "955555",
        source_catalog: "EMSC-RTS",
        lastupdate: "2021-03-04T19:02:00.0Z",
      },
    });
    expect(rows[1]).toMatchObject({ latitude: 38.5, longitude: 22.2, depth: 7 });
    expect(warnings).toContainEqual({
      line: 25,
      message: "the third coordinate -7 is read as 7 km below the surface",
    });
  });

  test("the JSON reader reads CSEP's catalogue: rows of id, milliseconds, latitude, longitude, depth, magnitude", () => {
    const { rows, lines, errors, headers, format } = readJson(fixture("csep.json"));
    expect(rows).toEqual([
      {
        time: "2019-07-06T03:19:53.040Z",
        latitude: 35.77,
        longitude: -117.599,
        depth: 8,
        magnitude: 7.1,
        source_id: "zz0001",
      },
      {
        time: "1969-12-31T23:59:58.500Z",
        latitude: -41.25,
        longitude: 174.5,
        depth: null,
        magnitude: 4.25,
        source_id: null,
      },
    ]);
    expect({ lines, errors, format }).toEqual({ lines: [3, 11], errors: [], format: "json" });
    expect(headers).toEqual(["time", "latitude", "longitude", "depth", "magnitude", "source_id"]);
  });

  test("the JSON reader tells rows of CSEP's catalogue that have too few or too many values", () => {
    const { rows, errors } = readJson(
      '{"catalog":[["a",0,1,2,3,4],\n["b",0],\n["c",0,1,2,3,4,5]]}',
    );
    expect(rows).toMatchObject([{ source_id: "a", magnitude: 4 }]);
    expect(errors.map(({ line }) => line)).toEqual([2, 3]);
    expect(errors[0]?.message).toMatch(/^has 2 values where a row of CSEP's has 6: id, time/);
  });

  test("the JSON reader reads QQuake's layers: the depth is metres, which its name and the geometry say", () => {
    const feature = (depth: string) =>
      `{"type":"Feature","properties":{"EventID":"7","Time":"2021-03-04T13:27:34.120Z","Latitude":42.1,` +
      `"Longitude":13.2,"DepthMeters":${depth},"Author":"DEMO","MagType":"ML","Magnitude":3.4},` +
      `"geometry":{"type":"Point","coordinates":[13.2,42.1,8500.4]}}`;
    const { rows, warnings } = readJson(`{"features":[${feature("8500.4")},${feature("-1200")}]}`);
    expect(rows[0]).toEqual({
      time: "2021-03-04T13:27:34.120Z",
      latitude: 42.1,
      longitude: 13.2,
      depth: 8.5004,
      magnitude: 3.4,
      magnitude_type: "ML",
      source_id: "7",
      author: "DEMO",
    });
    expect(rows[1]?.["depth"]).toBe(-1.2);
    expect(warnings).toEqual([]);
  });

  test("the JSON reader keeps a Feature's own members, whatever they are called", () => {
    const { rows } = readJson(FEATURE.replace("{", '{"toString":"a","constructor":"b",'));
    expect(Object.entries(rows[0]?.["extra"] ?? {})).toEqual([
      ["toString", "a"],
      ["constructor", "b"],
    ]);
  });

  test("the JSON reader reads our own export back, with ids, nulls, extra and provenance", () => {
    const text = fixture("own-export.json");
    const { rows, lines, warnings } = readJson(text);
    expect(warnings).toEqual([]);
    expect(lines).toEqual([2, 3]);
    expect(rows).toEqual(JSON.parse(text).events);
  });

  test("the JSON reader lists the names that occurred in canonical order", () => {
    expect(readJson(fixture("list.json")).headers).toEqual([
      "time",
      "latitude",
      "longitude",
      "depth",
      "magnitude",
      "magnitude_type",
      "source_id",
      "event_type",
      "evaluation_status",
      "used_station_count",
      "extra",
    ]);
  });

  test.each(FIXTURES)("the JSON reader gives rows of %s that can be posted as events", (name) => {
    const validate = createEventValidator({ nowMs: Date.now() });
    const { rows, errors } = readJson(fixture(name));
    expect(errors).toEqual([]);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(validate(JSON.parse(JSON.stringify(row)))).toMatchObject({ ok: true });
    }
  });

  test.each(FIXTURES)("the JSON reader reads %s the same wherever it is cut", (name) => {
    const text = fixture(name);
    const whole = readJson(text);
    for (let cut = 0; cut <= text.length; cut++) {
      expect(readJson(text.slice(0, cut), text.slice(cut))).toEqual(whole);
    }
    expect(readJson(...text)).toEqual(whole);
  });
});
