import { describe, expect, it } from "vitest";
import { ALL_MEMBERS } from "../../../support/formats/quakeml-documents.ts";
import { readPieces } from "./read-pieces.ts";

const ALL_MEMBERS_ROW = {
  time: "2024-05-07T08:24:09.853066Z",
  latitude: -38.62,
  longitude: 176.21,
  depth: 5.1162109375,
  magnitude: 1.4,
  magnitude_type: "MLv",
  magnitude_uncertainty: 0.2,
  magnitude_station_count: 6,
  depth_uncertainty: 1,
  region: "Taupō & surroundings 🌋",
  source_id: "2024abc",
  event_type: "earthquake",
  event_type_certainty: "suspected",
  evaluation_mode: "manual",
  evaluation_status: "reviewed",
  used_station_count: 10,
  used_phase_count: 11,
  azimuthal_gap: 76.5,
  standard_error: 0.13,
  minimum_distance: 0.075,
  horizontal_uncertainty: 1.2345,
  time_uncertainty: 0.25,
  latitude_uncertainty: 0.01,
  longitude_uncertainty: 0.02,
  depth_type: "operator assigned",
  agency_id: "OR",
  author: "origin author",
  focal_mechanisms: [
    {
      publicID: "smi:local.test/mechanism/2",
      nodalPlanes: {
        nodalPlane1: { strike: 245.58, dip: 43.28, rake: -61.73 },
        preferredPlane: 1,
      },
      momentTensor: {
        publicID: "smi:local.test/tensor/2",
        derivedOriginID: "smi:local.test/origin/1",
        scalarMoment: 2.68e20,
        tensor: { Mrr: -2.3917e20 },
        dataUsed: [{ waveType: "body waves", stationCount: 88 }, { waveType: "mantle waves" }],
        inversionType: "zero trace",
      },
    },
    { publicID: "smi:local.test/mechanism/1" },
  ],
  extra: {
    public_id: "smi:local.test/event/2024abc",
    creation_time: "2024-05-07T08:24:40Z",
    version: "7",
    time_fixed: false,
    epicenter_fixed: true,
    earth_model_id: "smi:local.test/model/iasp91?depth=1&crust=2",
    method_id: "smi:local.test/method/LOCSAT",
    origin_uncertainty: {
      horizontalUncertainty: 1234.5,
      minHorizontalUncertainty: 321.09,
      maxHorizontalUncertainty: 1250,
      azimuthMaxHorizontalUncertainty: 170,
      confidenceEllipsoid: {
        semiMajorAxisLength: 2000,
        semiMinorAxisLength: 1000.5,
        semiIntermediateAxisLength: 1500,
        majorAxisPlunge: 12,
        majorAxisAzimuth: 34,
        majorAxisRotation: -56.7,
      },
      preferredDescription: "uncertainty ellipse",
      confidenceLevel: 90,
    },
    magnitude_method_id: "smi:local.test/method/trimmed-mean",
    magnitude_agency_id: "MG",
  },
};

describe("QuakeML reader", () => {
  it("reads every member", () => {
    const told = readPieces(ALL_MEMBERS);
    expect(told.rows).toEqual([ALL_MEMBERS_ROW]);
    expect(told.lines).toEqual([6]);
    expect([told.errors, told.warnings]).toEqual([[], []]);
    expect(told.headers.slice(0, 6)).toEqual([
      "time",
      "latitude",
      "longitude",
      "depth",
      "magnitude",
      "magnitude_type",
    ]);
    expect(told.headers.slice(-2)).toEqual(["focal_mechanisms", "extra"]);
  });

  it("tells the same wherever the document is cut in two, and character by character", () => {
    const whole = readPieces(ALL_MEMBERS);
    for (let cut = 1; cut < ALL_MEMBERS.length; cut++) {
      expect(readPieces(ALL_MEMBERS, [cut])).toEqual(whole);
    }
    expect(
      readPieces(
        ALL_MEMBERS,
        Array.from(ALL_MEMBERS, (_, index) => index),
      ),
    ).toEqual(whole);
  });
});
