import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { readPieces } from "./read-pieces.ts";
import { hasRealData, REAL_DATA_DIR } from "./real-data.ts";

/** File, `<event` start tags in it, rows; the others are events without an origin. */
const FILES: readonly (readonly [string, number, number])[] = [
  ["2004-12-26_mag6+.qml", 23, 23],
  ["ci15481673_phase-data.xml", 1, 1],
  ["geonet_2024p344188_0.13.xml", 1, 1],
  ["geonet_2801727_0.6.xml", 1, 1],
  ["sed_coseismiq_invalid_ids.xml", 1, 1],
  ["usgs_us6000kawn_full.xml", 1, 1],
  ["obspy/invalid_enum.xml", 1, 1],
  ["obspy/invalid_id.xml", 1, 1],
  ["obspy/iris_events.xml", 2, 2],
  ["obspy/preferred.xml", 1, 1],
  ["obspy/qml-example-1.2-RC3.xml", 1, 1],
  ["obspy/quakeml_1.2_arrival.xml", 1, 1],
  ["obspy/quakeml_1.2_data_used.xml", 1, 0],
  ["obspy/quakeml_1.2_event.xml", 1, 0],
  ["obspy/quakeml_1.2_magnitude.xml", 1, 0],
  ["obspy/quakeml_1.2_pick.xml", 1, 0],
  ["obspy/quakeml_1.2_stationmagnitude.xml", 1, 0],
  ["obspy/quakeml_1.2_stationmagnitudecontributions.xml", 1, 0],
];

function textOfFile(name: string): string {
  return readFileSync(join(REAL_DATA_DIR, "quakeml", name), "utf8");
}

describe.skipIf(!hasRealData)("agencies' QuakeML files (skipped without them)", () => {
  it.each(FILES)("%s has %i events and %i rows that can be submitted", (name, events, rows) => {
    const text = textOfFile(name);
    expect(text.match(/<event[\s>]/g)).toHaveLength(events);
    const told = readPieces(text);
    expect(told.rows).toHaveLength(rows);
    expect(told.errors.map((error) => error.message)).toEqual(
      Array(events - rows).fill("the event has no origin"),
    );
    const validate = createEventValidator({ nowMs: Date.now() });
    expect(told.rows.map((row) => validate(row).ok)).toEqual(Array(rows).fill(true));
  });

  it.each([
    [
      "geonet_2024p344188_0.13.xml",
      { source_id: "2024p344188", depth: 5.1162109375, region: "Taupo" },
    ],
    [
      "usgs_us6000kawn_full.xml",
      { source_id: "us6000kawn", magnitude_type: "Mww", region: "Tonga" },
    ],
    ["ci15481673_phase-data.xml", { source_id: "ci15481673", depth: 7.46 }],
    ["sed_coseismiq_invalid_ids.xml", { source_id: "2018xnnxsavm", region: "Iceland Region" }],
    [
      "2004-12-26_mag6+.qml",
      { source_id: "7453151", magnitude: 8.69, horizontal_uncertainty: 4.57366 },
    ],
    ["obspy/preferred.xml", { time: "2012-12-12T05:46:24.1200", magnitude: 2 }],
    ["obspy/invalid_enum.xml", { depth_type: null, magnitude: null }],
    [
      "geonet_2024p344188_0.13.xml",
      {
        extra: {
          earth_model_id: expect.stringMatching(/^smi:nz\.org\.geonet\/./),
          method_id: expect.stringMatching(/^smi:nz\.org\.geonet\/./),
        },
      },
    ],
  ])("%s gives what its agency says", (name, expected) => {
    expect(readPieces(textOfFile(name)).rows[0]).toMatchObject(expected);
  });

  it("reads a file cut off anywhere up to the last complete event", () => {
    const text = textOfFile("2004-12-26_mag6+.qml");
    for (const share of [0.2, 0.5, 0.9]) {
      const cut = text.slice(0, text.length * share);
      const complete = cut.match(/<\/event>/g)?.length ?? 0;
      const told = readPieces(cut);
      expect(told.rows).toHaveLength(complete);
      expect(told.errors).toHaveLength(1);
    }
  });
});
