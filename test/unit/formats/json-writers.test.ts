import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createKmlWriter } from "#infra/formats/facade/kml.ts";
import { createGeojsonWriter, createJsonWriter } from "#infra/formats/json/writer.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { exportRowOf } from "../../support/export-row.ts";
import { EXPORTED, exportRows } from "../../support/formats/exported.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

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

function anyEvents(count: number, seed: number): SeismicEvent[] {
  const records = fc.sample(anyRecord, { numRuns: count, seed });
  return records.map((record, i) => ({ id: `event-${i}`, ...record }));
}

test("JSON has the catalogue, the version and each event on its line as the API answers it", () => {
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
  const row = exportRowOf(BARE).map((value, i) => (i === 2 ? "1e-07" : value));
  expect(exportRows(createJsonWriter, [row])).toContain('"latitude":1e-07,');
});

test("GeoJSON has points in metres above the surface, and kilometres below it as a property", () => {
  const text = exportRows(createGeojsonWriter, [EVENT, BARE].map(exportRowOf));
  const { id, source_events: _, ...properties } = EVENT;
  const coordinates = [1e-7, -29.7354, -5116.2109375];
  expect(JSON.parse(text)).toEqual({
    type: "FeatureCollection",
    catalogue: EXPORTED.catalogue,
    version: 3,
    features: [
      { type: "Feature", id, geometry: { type: "Point", coordinates }, properties },
      expect.objectContaining({ geometry: { type: "Point", coordinates: [180, -90] } }),
    ],
  });
  for (const [depth, height] of [
    ["0", "0"],
    ["-2.5", "2500"],
    ["0.0001", "-0.1"],
    ["1e-07", "-1e-4"],
    ["700", "-700000"],
  ] as const) {
    const row = exportRowOf({ ...BARE, depth: Number(depth) });
    const asText = row.map((value) => (value === String(Number(depth)) ? depth : value));
    expect(exportRows(createGeojsonWriter, [asText])).toContain(`[180,-90,${height}]`);
  }
});

test("KML has a placemark on the ground with a name, a time, a style and all that is known", () => {
  const text = exportRows(createKmlWriter, [EVENT, BARE].map(exportRowOf));
  for (const part of [
    '<Document><name>Demo &lt;"events":[&amp;]&gt; κ</name>',
    '<Placemark><name>M 8.2 - a "b" &lt;c&gt; &amp; \ufffd\ufffd&#13;\n\ufffd d</name>' +
      "<TimeStamp><when>2021-03-04T19:28:31.551200Z</when></TimeStamp>" +
      "<styleUrl>#depth-35-size-8</styleUrl>",
    '<SimpleData name="depth">5.1162109375</SimpleData>',
    "<coordinates>1e-7,-29.7354,0</coordinates>",
    "<name>M ?</name>",
    "<styleUrl>#depth-unknown-size-0</styleUrl>",
  ]) {
    expect(text).toContain(part);
  }
  for (const [depth, magnitude, style] of [
    [35, 2.9, "depth-35-size-2"],
    [35.1, -1, "depth-70-size-0"],
    [70.1, 9.5, "depth-150-size-8"],
    [300, 5, "depth-300-size-5"],
    [500, 5, "depth-500-size-5"],
    [700, 5, "depth-deeper-size-5"],
  ] as const) {
    const styled = exportRows(createKmlWriter, [exportRowOf({ ...BARE, depth, magnitude })]);
    expect(styled).toContain(`<styleUrl>#${style}</styleUrl>`);
    expect(styled).toContain(`<Style id="${style}">`);
  }
});

test("any records are JSON for another parser, XML for xmllint, and layers for GDAL", async () => {
  const directory = await temporaryDirectory();
  const file = async (name: string, text: string) => {
    await writeFile(join(directory, name), text);
    return join(directory, name);
  };
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 3 }), (records) => {
      const rows = records.map((record, i) => exportRowOf({ id: `event-${i}`, ...record }));
      const { events } = JSON.parse(exportRows(createJsonWriter, rows));
      const { features } = JSON.parse(exportRows(createGeojsonWriter, rows));
      expect([events.length, features.length]).toEqual([rows.length, rows.length]);
    }),
  );
  const kml = exportRows(createKmlWriter, anyEvents(500, 7).map(exportRowOf));
  const linted = run("xmllint", ["--noout", "--nonet", await file("any.kml", kml)]);
  await expect(linted).resolves.toMatchObject({ stderr: "" });
  const events = [EVENT, BARE, ...anyEvents(200, 11)];
  for (const [name, createWriter] of [
    ["events.geojson", createGeojsonWriter],
    ["events.kml", createKmlWriter],
  ] as const) {
    const path = await file(name, exportRows(createWriter, events.map(exportRowOf)));
    const { stdout } = await run("ogrinfo", ["-ro", "-al", "-so", path]);
    expect(stdout).toContain("Extent: (-180.000000, -90.000000) - (180.000000, 90.000000)");
    expect(stdout).toContain(`Feature Count: ${events.length}\n`);
    expect(stdout).toMatch(/^magnitude: Real/m);
    expect(stdout).toMatch(/^used_station_count: Integer/m);
  }
});
