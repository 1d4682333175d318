import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QUAKEML_EVENT_TYPES } from "#contracts/seismic-event/enumerations.ts";
import { emscEventType } from "#infra/formats/emsc/emsc-feature.ts";
import { mapEventType } from "#infra/formats/legacy-event-types.ts";
import { readJson } from "../../../support/formats/readers.ts";
import { testRows } from "../../../support/test-rows.ts";
import {
  answerOf,
  BARE,
  BLAST,
  eventsOf,
  FULL,
  facadeRowOf,
  storedRecord,
} from "./facade-answer.ts";

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
