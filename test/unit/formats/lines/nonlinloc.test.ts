import { describe, expect, test } from "vitest";
import { BulletinBody } from "#contracts/bulletin/bulletin-schema.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import { readFile } from "../read-file.ts";
import { expectWholeEvents } from "./expect-whole-events.ts";
import { VERSION_6, VERSION_7 } from "./nonlinloc-events.ts";

const own = (name: string, text: string) => ({ ns: "urn:earthquake-catalogue:1.0", name, text });

describe("a file of NonLinLoc", () => {
  const read = readFile(VERSION_7 + VERSION_6, { extension: "csv" });
  const [valais, taupo] = read.bulletins;
  const [first, second, third] = valais?.origin?.[0]?.arrival ?? [];

  test("is found by its content, and its events are whole bulletins", () => {
    expect(read).toMatchObject({ format: "nonlinloc", errors: [], warnings: [] });
    expect(read.elements).toMatchObject({
      event: { read: 2, kept: 2, dropped: 0 },
      pick: { read: 4, kept: 4, dropped: 0 },
      arrival: { read: 4, kept: 4, dropped: 0 },
      amplitude: { read: 2, kept: 2, dropped: 0 },
      magnitude: { read: 2, kept: 2, dropped: 0 },
      focalMechanism: { read: 1, kept: 1, dropped: 0 },
    });
    for (const bulletin of read.bulletins) expect(BulletinBody.parse(bulletin)).toEqual(bulletin);
  });

  test("has its hypocentre, magnitude and quality in the row", () => {
    expect(read.events[0]).toMatchObject({
      source_id: "17",
      time: "2024-02-29T23:59:58.504000Z",
      latitude: 60,
      longitude: 7.5,
      depth: 8.25,
      depth_uncertainty: 1.5,
      magnitude: 2.1,
      magnitude_type: "ML",
      used_phase_count: 3,
      used_station_count: 2,
      azimuthal_gap: 197,
      horizontal_uncertainty: 2.75,
      author: "A. Analyst",
    });
    expect(read.events[1]).toMatchObject({
      time: "2020-12-09T16:38:00.000Z",
      depth: -0.5,
      magnitude: 1.7,
      magnitude_type: "Md",
      evaluation_status: "rejected",
      // Of the statement QUALITY: the version has none of QuakeML's.
      used_phase_count: 1,
      azimuthal_gap: 263.7,
      standard_error: 0.64,
      minimum_distance: 4.1 / KM_PER_DEGREE,
    });
  });

  test("has kilometres of errors in metres, of places in degrees, and −1 for none", () => {
    const origin = valais?.origin?.[0];
    // 3 km to the north; 2 km to the east, where at 60° a degree has half as many kilometres.
    expect(origin?.latitude.uncertainty).toBeCloseTo(3 / 111.195, 7);
    expect(origin?.longitude.uncertainty).toBeCloseTo(4 / 111.195, 7);
    expect(origin?.depth).toEqual({ value: 8250, uncertainty: 1500, confidenceLevel: 68 });
    expect(origin?.originUncertainty).toEqual([
      {
        minHorizontalUncertainty: 1500,
        maxHorizontalUncertainty: 2750,
        azimuthMaxHorizontalUncertainty: 84.5,
        confidenceEllipsoid: {
          semiMajorAxisLength: 3250,
          semiMinorAxisLength: 1125,
          semiIntermediateAxisLength: 2500,
          majorAxisPlunge: 42.5,
          majorAxisAzimuth: 86.5,
          majorAxisRotation: 322.5,
        },
        preferredDescription: "confidence ellipsoid",
        confidenceLevel: 68,
      },
    ]);
    expect(origin?.quality).toMatchObject({
      associatedPhaseCount: 4,
      secondaryAzimuthalGap: 210.5,
    });
    expect(origin?.quality?.minimumDistance).toBeCloseTo(0.1, 6);
    expect(Object.keys(origin?.quality ?? {})).not.toContain("medianDistance");
    expect(Object.keys(origin?.quality ?? {})).not.toContain("associatedStationCount");
  });

  test("has no errors where variances are negative or no numbers", () => {
    expect(taupo?.origin?.[0]).toMatchObject({
      longitude: { value: 175.300434 },
      latitude: { value: -39.278154 },
      depth: { value: -500, uncertainty: 500, confidenceLevel: 68 },
    });
    expect(taupo?.origin?.[0]?.latitude).not.toHaveProperty("uncertainty");
    expect(taupo?.origin?.[0]).not.toHaveProperty("originUncertainty");
  });

  test("has a pick and an arrival of each phase, by either version's columns", () => {
    expect(
      valais?.pick?.map(({ time, onset, polarity, waveformID }) => ({
        time,
        onset,
        polarity,
        waveformID,
      })),
    ).toEqual([
      {
        time: { value: "2024-03-01T00:00:01.2500Z", uncertainty: 0.02 },
        onset: "impulsive",
        polarity: "positive",
        waveformID: { networkCode: "", stationCode: "SIMPL", channelCode: "HHZ" },
      },
      {
        time: { value: "2024-03-01T00:00:03.1000Z" },
        onset: "emergent",
        waveformID: { networkCode: "", stationCode: "SIMPL" },
      },
      {
        time: { value: "2024-03-01T00:00:07.0000Z" },
        polarity: "negative",
        waveformID: { networkCode: "", stationCode: "NOWHR", channelCode: "Z" },
      },
    ]);
    expect(first).toMatchObject({
      pickID: valais?.pick?.[0]?.publicID,
      phase: "P",
      azimuth: 107.42,
      takeoffAngle: { value: 120 },
      timeResidual: 0.042,
      timeWeight: 1.2104,
      timeCorrection: 0.01,
    });
    expect(first?.distance).toBeCloseTo(0.1, 6);
    const [arrival] = taupo?.origin?.[0]?.arrival ?? [];
    expect(arrival).toMatchObject({ timeResidual: -1.4189, takeoffAngle: { value: 100 } });
    expect(arrival?.distance).toBeCloseTo(1, 5);
  });

  test("has no take-off angle of quality 0, and nothing calculated for a station without place", () => {
    expect(second).not.toHaveProperty("takeoffAngle");
    expect(third).toMatchObject({ phase: "Pn", timeWeight: 0 });
    for (const member of ["azimuth", "distance", "timeResidual"]) {
      expect(third).not.toHaveProperty(member);
    }
  });

  test("has the readings of codas and amplitudes at their picks", () => {
    const pickID = valais?.pick?.[1]?.publicID;
    expect(valais?.amplitude).toMatchObject([
      { genericAmplitude: { value: 35 }, category: "duration", unit: "s", pickID },
      { genericAmplitude: { value: 120 }, category: "other", period: { value: 0.4 }, pickID },
    ]);
  });

  test("has a mechanism with observations, its strike 90° before the dip's direction", () => {
    expect(valais?.focalMechanism).toMatchObject([
      {
        nodalPlanes: {
          nodalPlane1: { strike: { value: 310 }, dip: { value: 60 }, rake: { value: -90 } },
        },
        stationPolarityCount: 12,
        misfit: 0.1,
      },
    ]);
    expect(taupo).not.toHaveProperty("focalMechanism");
  });

  test("keeps what the model has no place for", () => {
    expect(valais?.origin?.[0]?.foreign).toContainEqual(
      own("GRID", "271 296 17  -407.434 -453.957 -1.5  3 3 3 PROB_DENSITY"),
    );
    expect(valais?.origin?.[0]?.foreign?.map(({ name }) => name)).toEqual([
      "NLLOC",
      "SIGNATURE",
      "GRID",
      "HYPOCENTER",
      "QUALITY",
      "STATISTICS",
      "FOCALMECH",
    ]);
    expect(valais?.comment).toEqual([{ text: "Swiss Alps" }]);
    expect(valais?.origin?.[0]?.creationInfo).toEqual({
      author: "A. Analyst",
      creationTime: "2024-11-17T15:49:52",
      version: "NLLoc:v7.00.13(17Jan2022)",
    });
  });

  test("gives the same ids when it is read again", () => {
    expect(readFile(VERSION_7 + VERSION_6).bulletins).toEqual(read.bulletins);
  });
});

describe("a faulty hypocentre of NonLinLoc", () => {
  test.each([
    [
      "a place in kilometres",
      "Lat 60.000000",
      "Lat 5323.28",
      "7: the place is in kilometres, not in degrees",
    ],
    ["no such day", "2024 02 29  23", "2024 02 30  23", "7: there is no time of the origin"],
    ["letters for a residual", "0.0420", "0.o420", '15: Res is "0.o420", no number'],
    [
      "a phase without separator",
      "0.7500 >",
      "0.7500",
      "15: a phase has > as its 15th or 16th word",
    ],
    [
      "a phase cut off",
      "11.1195 107.42  40.0 120.0  9     0.0100    0.6352",
      "",
      "15: there is no distance of the station",
    ],
  ])("with %s is left out whole, and the others are there", (_, old, text, error) => {
    const read = readFile(VERSION_7.replace(old, text) + VERSION_6);
    expect(read.errors).toEqual([`${error}, of the event that line 1 begins`]);
    expect(read.rows).toHaveLength(1);
    expect(read.elements?.event).toEqual({ read: 2, kept: 1, dropped: 1 });
  });

  test("is told where the file is cut in its middle", () => {
    const end = VERSION_6.length + VERSION_7.length;
    for (const length of [end - 3, end - 20, end - 500, VERSION_6.length + 60]) {
      const read = readFile((VERSION_6 + VERSION_7).slice(0, length));
      expect(read.rows).toHaveLength(1);
      expect(read.errors).toEqual([
        expect.stringContaining("the hypocentre is cut off before END_NLLOC"),
      ]);
    }
  });

  test("without a location is told, and counted with nothing else", () => {
    const read = readFile(VERSION_6.replace(/^GEOGRAPHIC.*\n/m, ""));
    expect(read.errors).toEqual(["2: the event has no origin"]);
    expect(read.elements).toEqual({ event: { read: 1, kept: 0, dropped: 1 } });
  });
});

test("whatever is wrong in a file of NonLinLoc, an event is read whole or told", () => {
  expectWholeEvents(VERSION_7 + VERSION_6);
});
