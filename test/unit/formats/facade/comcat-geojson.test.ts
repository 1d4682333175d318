import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createComcatDetailWriter,
  createComcatGeojsonWriter,
} from "#infra/formats/facade/comcat.ts";
import { readJson } from "../../../support/formats/readers.ts";
import { testRows } from "../../../support/test-rows.ts";
import {
  ANSWER,
  BARE,
  BLAST,
  eventsOf,
  type FacadeEvent,
  FULL,
  MERGED,
  storedRecord,
  written,
} from "./facade-answer.ts";

const PROPERTIES =
  "mag,place,time,updated,tz,url,detail,felt,cdi,mmi,alert,status,tsunami,sig,net,code,ids,sources,types,nst,dmin,rms,gap,magType,type,title";

const HEAD =
  '{"type":"FeatureCollection","metadata":{"generated":1715070249853,' +
  '"url":"https://host.example/api/catalogues/7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b/fdsnws/event/1/query?format=geojson",' +
  '"title":"Kaikōura \\"2016\\"","status":200,"api":"1.2.0","count":';

const FULL_FEATURE =
  '{"type":"Feature","properties":{"mag":7.8,"place":"Kaikōura, \\"Te Waipounamu\\"",' +
  '"time":1479034976346,"updated":1715070249853,"tz":null,' +
  '"url":"https://host.example/api/catalogues/7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b/events/0f0e1d2c-0000-8000-8000-000100000001",' +
  '"detail":"https://host.example/api/catalogues/7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b/feed/v1.0/detail/0f0e1d2c-0000-8000-8000-000100000001.geojson",' +
  '"felt":null,"cdi":null,"mmi":null,"alert":null,"status":"reviewed","tsunami":0,"sig":936,' +
  '"net":"us","code":"1000778i","ids":",us1000778i,","sources":",US,","types":",origin,",' +
  '"nst":93,"dmin":0.23,"rms":0.62,"gap":21.5,"magType":"Mww","type":"earthquake",' +
  '"title":"M 7.8 - Kaikōura, \\"Te Waipounamu\\""},' +
  '"geometry":{"type":"Point","coordinates":[173.02,-42.69,15.1]},"id":"us1000778i"}';

const BARE_FEATURE =
  '{"type":"Feature","properties":{"mag":null,"place":"SOUTH OF FIJI ISLANDS",' +
  '"time":-30610224000000,"updated":1715070249853,"tz":null,' +
  '"url":"https://host.example/api/catalogues/7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b/events/0f0e1d2c-0000-8000-8000-000100000002",' +
  '"detail":"https://host.example/api/catalogues/7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b/feed/v1.0/detail/0f0e1d2c-0000-8000-8000-000100000002.geojson",' +
  '"felt":null,"cdi":null,"mmi":null,"alert":null,"status":null,"tsunami":0,"sig":0,' +
  '"net":"","code":"0f0e1d2c000080008000000100000002","ids":",0f0e1d2c000080008000000100000002,","sources":"","types":",origin,",' +
  '"nst":null,"dmin":null,"rms":null,"gap":null,"magType":null,"type":null,' +
  '"title":"M ? - SOUTH OF FIJI ISLANDS"},' +
  '"geometry":{"type":"Point","coordinates":[-180,-20.5,null]},"id":"0f0e1d2c000080008000000100000002"}';

function collection(events: readonly FacadeEvent[], answer = {}) {
  return JSON.parse(written(createComcatGeojsonWriter, events, answer));
}

function propertiesOf(event: FacadeEvent) {
  return collection([event]).features[0].properties;
}

describe("ComCat's GeoJSON", () => {
  test("ComCat's GeoJSON of an event that is known well and one that is hardly known", () => {
    expect(written(createComcatGeojsonWriter, [FULL, BARE])).toBe(
      `${HEAD}2},"features":[${FULL_FEATURE},\n${BARE_FEATURE}]}\n`,
    );
  });

  test("ComCat's GeoJSON without events is an empty collection", () => {
    expect(written(createComcatGeojsonWriter, [])).toBe(`${HEAD}0},"features":[]}\n`);
  });

  test("ComCat's GeoJSON has limit and offset before the count where a limit was asked for", () => {
    const text = written(createComcatGeojsonWriter, [], { limit: 20_000, offset: 41 });
    expect(text).toContain('"api":"1.2.0","limit":20000,"offset":41,"count":0}');
  });

  test("ComCat's GeoJSON ends with the box of its events where that has three dimensions", () => {
    const text = written(createComcatGeojsonWriter, [FULL, BARE, BLAST]);
    expect(text.endsWith('],"bbox":[-180,-42.69,-0.5,173.02,48,15.1]}\n')).toBe(true);
  });

  test("ComCat's GeoJSON of one event for eventid is a Feature with no products", () => {
    const text = written(createComcatDetailWriter, [FULL]);
    const feature = FULL_FEATURE.replace(
      'Waipounamu\\""},"geo',
      'Waipounamu\\"","products":{}},"geo',
    );
    expect(feature).not.toBe(FULL_FEATURE);
    expect(text).toBe(`${feature}\n`);
  });

  test("ComCat's detail of an event with a bulletin has phase data, which is all of the event", () => {
    const event = { ...FULL, bulletin_sha256: "ab".repeat(32) };
    const { properties } = JSON.parse(written(createComcatDetailWriter, [event]));
    expect(properties.types).toBe(",origin,phase-data,");
    const [product] = properties.products["phase-data"];
    expect(product).toMatchObject({
      source: "us",
      status: "UPDATE",
      updateTime: properties.updated,
      preferredWeight: 1,
      properties: { eventsource: "us", eventsourcecode: "1000778i", magnitude: "7.8" },
    });
    const url = new URL(product.contents["quakeml.xml"].url);
    expect(url.href.startsWith(`${ANSWER.service}/query?`)).toBe(true);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      eventid: FULL.id,
      includeall: "true",
    });
    expect(written(createComcatGeojsonWriter, [event])).toContain('"types":",origin,phase-data,"');
  });

  test("ComCat's GeoJSON names what is no earthquake in the title", () => {
    const properties = propertiesOf(BLAST);
    expect(properties.title).toBe("M 0.0 Quarry Blast - GERMANY");
    expect(properties.type).toBe("quarry blast");
    expect(propertiesOf({ ...BLAST, event_type: "ice quake", magnitude: 2.05 }).title).toBe(
      "M 2.0 Ice Quake - GERMANY",
    );
  });

  test("ComCat's GeoJSON calls an event by our id where its own fits into no list or address", () => {
    const [feature] = collection([BLAST]).features;
    expect(feature.id).toBe("0f0e1d2c000080008000000100000003");
    expect(feature.properties).toMatchObject({ net: "", sources: ",BGR," });
    for (const source_id of ["a,b", "a b", "ü", "=1", "a|b", 'a"b', "\u007f"]) {
      expect(collection([{ ...FULL, source_id }]).features[0].id, source_id).toBe(
        "0f0e1d2c000080008000000100000001",
      );
    }
    const [kept] = collection([{ ...FULL, source_id: "smi:ISC/evid=6005&x#1" }]).features;
    expect(kept.properties.detail).toContain(`/feed/v1.0/detail/${FULL.id}.geojson`);
  });

  test("ComCat's GeoJSON lists the ids and sources that an event was merged of", () => {
    const properties = propertiesOf(MERGED);
    expect(properties.ids).toBe(",2024efgh,us7000abcd,");
    expect(properties.sources).toBe(",GeoNet,USGS,");
  });

  testRows(
    "ComCat's GeoJSON says a status of evaluation's mode and status",
    [
      [null, null, null],
      ["preliminary", null, "automatic"],
      ["preliminary", "manual", "reviewed"],
      [null, "automatic", "automatic"],
      [null, "manual", "reviewed"],
      ["confirmed", "automatic", "reviewed"],
      ["reviewed", null, "reviewed"],
      ["final", null, "reviewed"],
      ["rejected", "manual", "deleted"],
    ] as const,
    (status, mode, told) => {
      const event = { ...BARE, evaluation_status: status, evaluation_mode: mode };
      expect(propertiesOf(event).status).toBe(told);
    },
  );

  testRows(
    "ComCat's GeoJSON gives a significance by the magnitude",
    [
      [4.7, 340],
      [9.1, 1274],
      [0, 0],
      [-1, 15],
      [null, 0],
    ],
    (magnitude, sig) => {
      expect(propertiesOf({ ...BARE, magnitude }).sig).toBe(sig);
    },
  );

  test("ComCat's GeoJSON of any records is JSON with all 26 properties, an id of net and code, and three coordinates", () => {
    fc.assert(
      fc.property(fc.array(storedRecord, { maxLength: 3 }), (records) => {
        const { metadata, features } = collection(eventsOf(records));
        expect(metadata.count).toBe(records.length);
        expect(features).toHaveLength(records.length);
        for (const [i, { id, properties, geometry }] of features.entries()) {
          expect(Object.keys(properties).join()).toBe(PROPERTIES);
          expect(id).toBe(properties.net + properties.code);
          expect(id).toMatch(/^[!-~]{1,255}$/);
          expect(geometry.coordinates).toEqual([
            records[i]?.longitude,
            records[i]?.latitude,
            records[i]?.depth,
          ]);
          for (const list of [properties.ids, properties.sources, properties.types]) {
            expect(list).toMatch(/^(?:,[^,]+(?:,[^,]+)*,)?$/u);
          }
        }
      }),
    );
  });

  test("ComCat's GeoJSON is read back by the reader of USGS's files", () => {
    const { rows, errors } = readJson(written(createComcatGeojsonWriter, [FULL, BLAST]));
    expect(errors).toEqual([]);
    expect(rows).toMatchObject([
      {
        source_id: "us1000778i",
        time: "2016-11-13T11:02:56.346Z",
        latitude: -42.69,
        longitude: 173.02,
        depth: 15.1,
        magnitude: 7.8,
        magnitude_type: "Mww",
        region: FULL.region,
        used_station_count: 93,
        azimuthal_gap: 21.5,
        standard_error: 0.62,
        minimum_distance: 0.23,
      },
      { depth: -0.5, magnitude: -0.04, event_type: "quarry blast", evaluation_mode: "automatic" },
    ]);
  });

  test("ComCat's GeoJSON has the addresses of the answer it stands in", () => {
    const service = "https://host.example/api/share/secret/fdsnws/event/1";
    const [feature] = collection([FULL], { service, address: `${ANSWER.address}x` }).features;
    const detail = `https://host.example/api/share/secret/feed/v1.0/detail/${FULL.id}.geojson`;
    expect(feature.properties.detail).toBe(detail);
    expect(feature.properties.url).toBe(`${ANSWER.address}x/events/${FULL.id}`);
  });
});
