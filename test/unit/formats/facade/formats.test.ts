import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QUAKEML_EVENT_TYPES } from "#contracts/seismic-event/attributes.ts";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { unguardFormula } from "#contracts/text.ts";
import { emscEventType } from "#infra/formats/facade/emsc-atom.ts";
import { COUNT_DOCUMENTS } from "#infra/formats/facade/fdsn-documents.ts";
import { epochMilliseconds, millisecondTime, paddedTime } from "#infra/formats/facade-row.ts";
import { mapEventType } from "#infra/formats/written-values.ts";
import { pastTime } from "../../../support/arbitrary-record.ts";
import { readJson, readTable } from "../../../support/formats/readers.ts";
import { testRows } from "../../../support/test-rows.ts";
import {
  answerOf,
  BARE,
  BLAST,
  eventsOf,
  FULL,
  facadeRowOf,
  MERGED,
  storedRecord,
} from "./facade-answer.ts";

describe("a time for clients", () => {
  testRows(
    "a time for clients has 0, 3 or 6 digits, and whole milliseconds where they count those",
    [
      ["2016-11-13T11:02:56Z", "2016-11-13T11:02:56Z", "2016-11-13T11:02:56.000Z"],
      ["2016-11-13T11:02:56.3Z", "2016-11-13T11:02:56.300Z", "2016-11-13T11:02:56.300Z"],
      ["2016-11-13T11:02:56.34Z", "2016-11-13T11:02:56.340Z", "2016-11-13T11:02:56.340Z"],
      ["2016-11-13T11:02:56.346Z", "2016-11-13T11:02:56.346Z", "2016-11-13T11:02:56.346Z"],
      ["2016-11-13T11:02:56.3460Z", "2016-11-13T11:02:56.346000Z", "2016-11-13T11:02:56.346Z"],
      ["2016-11-13T11:02:56.34609Z", "2016-11-13T11:02:56.346090Z", "2016-11-13T11:02:56.346Z"],
      ["2016-11-13T11:02:56.999999Z", "2016-11-13T11:02:56.999999Z", "2016-11-13T11:02:56.999Z"],
    ],
    (time, padded, milliseconds) => {
      expect(paddedTime(time)).toBe(padded);
      expect(millisecondTime(time)).toBe(milliseconds);
    },
  );

  test("a time for clients is the same instant with 0, 3 or 6 digits", () => {
    fc.assert(
      fc.property(pastTime, (time) => {
        const padded = paddedTime(time);
        expect(padded).toMatch(/:\d\d(?:\.\d{3}|\.\d{6})?Z$/);
        expect(timeToMicros(padded)).toBe(timeToMicros(time));
      }),
    );
  });

  test("a time for clients in milliseconds is the last millisecond that has begun, also before 1970", () => {
    fc.assert(
      fc.property(pastTime, (time) => {
        const micros = timeToMicros(time);
        const milliseconds = micros / 1000n - (micros % 1000n < 0n ? 1n : 0n);
        expect(millisecondTime(time)).toBe(microsToTime(milliseconds * 1000n, 3));
        expect(epochMilliseconds(time)).toBe(Number(milliseconds));
      }),
    );
  });
});

const HEADER =
  "time,latitude,longitude,depth,mag,magType,nst,gap,dmin,rms,net,id,updated,place,type,horizontalError,depthError,magError,magNst,status,locationSource,magSource\n";

describe("ComCat's CSV", () => {
  test("ComCat's CSV of events that are known well and hardly", () => {
    const extra = { magnitude_agency_id: "WEL" };
    expect(answerOf("csv", [FULL, BARE, { ...BLAST, extra }])).toBe(
      `${HEADER}2016-11-13T11:02:56.346Z,-42.69,173.02,15.1,7.8,Mww,93,21.5,0.23,0.62,US,us1000778i,` +
        '2024-05-07T08:24:09.853Z,"Kaikōura, ""Te Waipounamu""",earthquake,4.2,1.8,0.04,61,reviewed,US,\n' +
        "1000-01-01T00:00:00.000Z,-20.5,-180,,,,,,,,,0f0e1d2c000080008000000100000002," +
        '2024-05-07T08:24:09.853Z,"SOUTH OF FIJI ISLANDS",,,,,,,,\n' +
        "2024-02-29T23:59:59.900Z,48,12,-0.5,-0.04,,,,,,BGR,0f0e1d2c000080008000000100000003," +
        '2024-05-07T08:24:09.853Z,"GERMANY",quarry blast,,,,,automatic,BGR,WEL\n',
    );
  });

  test("ComCat's CSV without events is its header", () => {
    expect(answerOf("csv", [])).toBe(HEADER);
  });

  test("ComCat's CSV of any records is CSV of 22 columns, and nothing in it runs as a formula", () => {
    fc.assert(
      fc.property(fc.array(storedRecord, { maxLength: 4 }), (records) => {
        const text = answerOf("csv", eventsOf(records));
        const rows: Record<string, string>[] = parse(text, {
          columns: true,
          record_delimiter: "\n",
        });
        expect(rows).toHaveLength(records.length);
        for (const [i, row] of rows.entries()) {
          const record = records[i];
          expect(Object.keys(row).join()).toBe(HEADER.trim());
          for (const name of ["magType", "net", "id", "place", "locationSource", "magSource"]) {
            expect(row[name]).not.toMatch(/^\s*[=+\-@]/);
          }
          expect(row["time"]).toMatch(/\.\d{3}Z$/);
          expect(Number(row["latitude"])).toBe(record?.latitude);
          expect(row["depth"]).toBe(record?.depth === null ? "" : String(record?.depth));
          expect(unguardFormula(row["net"] ?? "")).toBe(record?.agency_id ?? "");
          if (record?.region) expect(unguardFormula(row["place"] ?? "")).toBe(record.region);
        }
      }),
    );
  });

  test("ComCat's CSV is read back by the reader of USGS's files", () => {
    const { rows, errors, warnings } = readTable(answerOf("csv", [FULL, BARE, BLAST, MERGED]));
    expect([errors, warnings]).toEqual([[], []]);
    expect(rows[0]).toMatchObject({
      time: "2016-11-13T11:02:56.346Z",
      depth: 15.1,
      mag: 7.8,
      net: "US",
      id: "us1000778i",
      place: FULL.region,
      horizontalError: 4.2,
      status: "reviewed",
    });
    expect(rows[1]).toMatchObject({ depth: null, mag: null, type: null, status: null });
    expect(rows).toHaveLength(4);
  });
});

const TEXT_HEADER =
  "#EventID|Time|Latitude|Longitude|Depth/km|Author|Catalog|Contributor|ContributorID|MagType|Magnitude|MagAuthor|EventLocationName|EventType\n";

describe("FDSN text for clients", () => {
  test("FDSN text for clients has times of 0, 3 or 6 digits, a place for each event, and ids that a query takes", () => {
    expect(answerOf("text", [FULL, BARE, BLAST])).toBe(
      `${TEXT_HEADER}us1000778i|2016-11-13T11:02:56.346090|-42.69|173.02|15.1|a person|Kaikōura <&> “more”|US|us1000778i|Mww|7.8||Kaikōura, "Te Waipounamu"|earthquake\n` +
        "0f0e1d2c000080008000000100000002|1000-01-01T00:00:00|-20.5|-180|||Kaikōura <&> “more”||||||SOUTH OF FIJI ISLANDS|\n" +
        "0f0e1d2c000080008000000100000003|2024-02-29T23:59:59.900|48|12|-0.5||Kaikōura <&> “more”|BGR|pit 7, shot 3||-0.04||GERMANY|quarry blast\n",
    );
  });

  test("FDSN text for clients is read back by our reader", () => {
    const { rows, errors } = readTable(answerOf("text", [FULL, BARE, BLAST]));
    expect(errors).toEqual([]);
    expect(rows.map((row) => row["EventID"])).toEqual([
      "us1000778i",
      "0f0e1d2c000080008000000100000002",
      "0f0e1d2c000080008000000100000003",
    ]);
  });

  test("FDSN text for clients without events is its header", () => {
    expect(answerOf("text", [])).toBe(TEXT_HEADER);
  });
});

describe("KML for clients", () => {
  test("KML for clients names an event without a region by its Flinn-Engdahl region", () => {
    const text = answerOf("kml", [FULL, BARE]);
    expect(text).toContain('<Placemark><name>M 7.8 - Kaikōura, "Te Waipounamu"</name>');
    expect(text).toContain("<when>2016-11-13T11:02:56.346090Z</when>");
    expect(text).toContain('<SimpleData name="time">2016-11-13T11:02:56.346090Z</SimpleData>');
    expect(text).toContain("<Placemark><name>M ? - SOUTH OF FIJI ISLANDS</name>");
    expect(text).not.toContain('<SimpleData name="region">SOUTH OF FIJI ISLANDS');
  });
});

describe("the count of events", () => {
  test("the count of events is a bare number, JSON or XML as ComCat's", () => {
    expect(COUNT_DOCUMENTS.text.write(37_000)).toBe("37000");
    expect(JSON.parse(COUNT_DOCUMENTS.geojson.write(37_000))).toEqual({
      count: 37_000,
      maxAllowed: 2_147_483_647,
    });
    expect(COUNT_DOCUMENTS.xml.write(0)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        "<query><count>0</count><maxAllowed>2147483647</maxAllowed></query>\n",
    );
  });
});

const HEAD = '{"type":"FeatureCollection","metadata":{"totalCount":';

describe("EMSC's JSON", () => {
  test("EMSC's JSON of an event that is known well and one that is hardly known", () => {
    expect(answerOf("json", [FULL, BARE])).toBe(
      `${HEAD}2},"features":[` +
        '{"type":"Feature","geometry":{"type":"Point","coordinates":[173.02,-42.69,-15.1]},"id":"us1000778i",' +
        '"properties":{"source_id":"us1000778i","source_catalog":"Kaikōura <&> “more”",' +
        '"lastupdate":"2024-05-07T08:24:09.853066Z","time":"2016-11-13T11:02:56.346090Z",' +
        '"flynn_region":"Kaikōura, \\"Te Waipounamu\\"","lat":-42.69,"lon":173.02,"depth":15.1,' +
        '"evtype":"ke","auth":"US","mag":7.8,"magtype":"Mww","unid":"us1000778i"}},\n' +
        '{"type":"Feature","geometry":{"type":"Point","coordinates":[-180,-20.5,null]},"id":"0f0e1d2c000080008000000100000002",' +
        '"properties":{"source_id":null,"source_catalog":"Kaikōura <&> “more”",' +
        '"lastupdate":"2024-05-07T08:24:09.853066Z","time":"1000-01-01T00:00:00Z",' +
        '"flynn_region":"SOUTH OF FIJI ISLANDS","lat":-20.5,"lon":-180,"depth":null,' +
        '"evtype":"uk","auth":null,"mag":null,"magtype":null,"unid":"0f0e1d2c000080008000000100000002"}}]}\n',
    );
  });

  test("EMSC's JSON without events is an empty collection", () => {
    expect(answerOf("json", [])).toBe(`${HEAD}0},"features":[]}\n`);
  });

  testRows(
    "EMSC's JSON has a depth as a height",
    [
      [0, 0],
      [-0.5, 0.5],
      [10, -10],
      [1e-7, -1e-7],
      [null, null],
    ],
    (depth, height) => {
      const [feature] = JSON.parse(answerOf("json", [{ ...BARE, depth }])).features;
      expect(feature.geometry.coordinates[2]).toBe(height);
      expect(feature.properties.depth).toBe(depth);
    },
  );

  test("EMSC's JSON has a type that is read back as the same one, of all that QuakeML has", () => {
    for (const event_type of QUAKEML_EVENT_TYPES) {
      for (const event_type_certainty of ["known", "suspected", null] as const) {
        const row = facadeRowOf({ ...BARE, event_type, event_type_certainty });
        expect(mapEventType(emscEventType(row))).toBe(event_type);
      }
    }
    expect(emscEventType(facadeRowOf(BARE))).toBe("uk");
    expect(emscEventType(facadeRowOf({ ...BARE, event_type: "landslide" }))).toBe("ls");
    const suspected = { ...BARE, event_type: "earthquake", event_type_certainty: "suspected" };
    expect(emscEventType(facadeRowOf(suspected as typeof BARE))).toBe("se");
  });

  test("EMSC's JSON of any records is JSON, and the reader of EMSC's files reads it back", () => {
    fc.assert(
      fc.property(fc.array(storedRecord, { minLength: 1, maxLength: 3 }), (records) => {
        const text = answerOf("json", eventsOf(records));
        expect(JSON.parse(text).metadata).toEqual({ totalCount: records.length });
        const { rows, errors } = readJson(text);
        expect(errors).toEqual([]);
        expect(rows).toHaveLength(records.length);
        for (const [i, row] of rows.entries()) {
          expect(row["latitude"]).toBe(records[i]?.latitude);
          expect(row["magnitude"]).toBe(records[i]?.magnitude);
          expect(row["depth"]).toBe(records[i]?.depth);
        }
      }),
    );
  });

  test("EMSC's JSON is read back with id, place and type", () => {
    const { rows } = readJson(answerOf("json", [FULL, BLAST]));
    expect(rows).toMatchObject([
      { source_id: "us1000778i", region: FULL.region, event_type: "earthquake", depth: 15.1 },
      { source_id: "0f0e1d2c000080008000000100000003", event_type: "quarry blast", depth: -0.5 },
    ]);
  });
});
