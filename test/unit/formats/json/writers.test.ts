import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createGeojsonWriter } from "#infra/formats/json/geojson-writer.ts";
import { createJsonWriter } from "#infra/formats/json/json-writer.ts";
import { createKmlWriter } from "#infra/formats/kml/kml-writer.ts";
import { anyRecord } from "../../../support/arbitrary-record.ts";
import { exportRowOf } from "../../../support/export-row.ts";
import { EXPORTED, exportRows } from "./exported.ts";

const run = promisify(execFile);

const EVENT: SeismicEvent = {
  id: "0f0e1d2c-0000-8000-8000-000000000001",
  ...emptyRecord({ time: "2021-03-04T19:28:31.551200Z", latitude: -29.7354, longitude: 1e-7 }),
  depth: 5.1162109375,
  magnitude: 8.15,
  region: 'a "b" <c> & \u0001\u000b\r\n\ufffe d',
};
const BARE: SeismicEvent = {
  id: "0f0e1d2c-0000-8000-8000-000000000002",
  ...emptyRecord({ time: "1000-01-01T00:00:00Z", latitude: -90, longitude: 180 }),
};

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "formats-"));
});
afterAll(() => rm(directory, { recursive: true }));

async function fileOf(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

function anyEvents(count: number, seed: number): SeismicEvent[] {
  return fc
    .sample(anyRecord, { numRuns: count, seed })
    .map((record, i) => ({ id: `event-${i}`, ...record }));
}

describe("the JSON writer", () => {
  test("the JSON writer writes the catalogue, the version and each event on its line as the API answers it", () => {
    const merged = { ...BARE, source_events: [] };
    const text = exportRows(createJsonWriter, [EVENT, BARE, merged].map(exportRowOf));
    const { source_events: _, ...answered } = EVENT;
    const { source_events: __, ...bare } = BARE;
    expect(JSON.parse(text)).toEqual({
      catalogue: EXPORTED.catalogue,
      version: 3,
      events: [answered, bare, { ...bare, source_events: [] }],
    });
    expect(text.split("\n")).toHaveLength(6);
  });

  test("the JSON writer passes the texts of numbers on", () => {
    const row = exportRowOf(BARE).map((value, i) => (i === 2 ? "1e-07" : value));
    expect(exportRows(createJsonWriter, [row])).toContain('"latitude":1e-07,');
  });
});

describe("the GeoJSON writer", () => {
  test("the GeoJSON writer writes points in metres above the surface, and kilometres below it as a property", () => {
    const { features, ...head } = JSON.parse(
      exportRows(createGeojsonWriter, [EVENT, BARE].map(exportRowOf)),
    );
    const { id, source_events: _, ...properties } = EVENT;
    expect(head).toEqual({
      type: "FeatureCollection",
      catalogue: EXPORTED.catalogue,
      version: 3,
    });
    expect(features[0]).toEqual({
      type: "Feature",
      id,
      geometry: { type: "Point", coordinates: [1e-7, -29.7354, -5116.2109375] },
      properties,
    });
    expect(features[1].geometry).toEqual({ type: "Point", coordinates: [180, -90] });
  });

  test.each([
    ["0", "0"],
    ["-2.5", "2500"],
    ["0.0001", "-0.1"],
    ["1e-07", "-1e-4"],
    ["700", "-700000"],
  ])("the GeoJSON writer writes a depth of %s km as %s m", (depth, height) => {
    const row = exportRowOf({ ...BARE, depth: Number(depth) });
    const asText = row.map((value) => (value === String(Number(depth)) ? depth : value));
    expect(exportRows(createGeojsonWriter, [asText])).toContain(`[180,-90,${height}]`);
  });
});

describe("the KML writer", () => {
  test("the KML writer writes a placemark on the ground with a name, a time, a style and all that is known", () => {
    const text = exportRows(createKmlWriter, [EVENT, BARE].map(exportRowOf));
    expect(text).toContain('<Document><name>Demo &lt;"events":[&amp;]&gt; κ</name>');
    expect(text).toContain(
      '<Placemark><name>M 8.2 - a "b" &lt;c&gt; &amp; \ufffd\ufffd&#13;\n\ufffd d</name>' +
        "<TimeStamp><when>2021-03-04T19:28:31.551200Z</when></TimeStamp>" +
        "<styleUrl>#depth-35-size-8</styleUrl>",
    );
    expect(text).toContain('<SimpleData name="depth">5.1162109375</SimpleData>');
    expect(text).toContain("<coordinates>1e-7,-29.7354,0</coordinates>");
    expect(text).toContain("<name>M ?</name>");
    expect(text).toContain("<styleUrl>#depth-unknown-size-0</styleUrl>");
  });

  test.each([
    [35, 2.9, "#depth-35-size-2"],
    [35.1, -1, "#depth-70-size-0"],
    [70.1, 9.5, "#depth-150-size-8"],
    [300, 5, "#depth-300-size-5"],
    [500, 5, "#depth-500-size-5"],
    [700, 5, "#depth-deeper-size-5"],
  ])(
    "the KML writer shows a depth of %d km and a magnitude of %d as %s",
    (depth, magnitude, style) => {
      const text = exportRows(createKmlWriter, [exportRowOf({ ...BARE, depth, magnitude })]);
      expect(text).toContain(`<styleUrl>${style}</styleUrl>`);
      expect(text).toContain(`<Style id="${style.slice(1)}">`);
    },
  );
});

describe("what is written of any records", () => {
  test("is JSON for another parser", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 3 }), (records) => {
        const rows = records.map((record, i) => exportRowOf({ id: `event-${i}`, ...record }));
        expect(JSON.parse(exportRows(createJsonWriter, rows)).events).toHaveLength(rows.length);
        expect(JSON.parse(exportRows(createGeojsonWriter, rows)).features).toHaveLength(
          rows.length,
        );
      }),
    );
  });

  test("is well-formed XML for xmllint", async () => {
    const rows = anyEvents(500, 7).map(exportRowOf);
    const path = await fileOf("any.kml", exportRows(createKmlWriter, rows));
    await expect(run("xmllint", ["--noout", "--nonet", path])).resolves.toMatchObject({
      stderr: "",
    });
  });

  test.each([
    ["events.geojson", createGeojsonWriter],
    ["events.kml", createKmlWriter],
  ])("is opened by GDAL as %s with every feature", async (name, createWriter) => {
    const events = [EVENT, BARE, ...anyEvents(200, 11)];
    const path = await fileOf(name, exportRows(createWriter, events.map(exportRowOf)));
    const { stdout } = await run("ogrinfo", ["-ro", "-al", "-so", path]);
    expect(stdout).toContain("Extent: (-180.000000, -90.000000) - (180.000000, 90.000000)");
    expect(stdout).toContain(`Feature Count: ${events.length}\n`);
    expect(stdout).toMatch(/^magnitude: Real/m);
    expect(stdout).toMatch(/^used_station_count: Integer/m);
  });
});
