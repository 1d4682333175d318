import { describe, expect, test } from "vitest";
import { BulletinBody } from "#contracts/bulletin/bulletin-schema.ts";
import { readFile } from "../read-file.ts";
import { fixtureText, onlyBulletin, own, readFixture } from "./isf-fixture.ts";

// The oracle is made by hand from the columns of test/fixtures/formats/isf/*.isf.

describe("a bulletin in ISF 2.1", () => {
  const read = readFixture("extended");
  const bulletin = onlyBulletin(read);
  const [neic, gcmt, isc] = bulletin.origin ?? [];

  test("is found by its content, and its event is a whole bulletin", () => {
    expect(read).toMatchObject({ format: "isf", isCatalogue: true, errors: [] });
    expect(read.elements).toEqual({
      event: { read: 1, kept: 1, dropped: 0 },
      origin: { read: 3, kept: 3, dropped: 0 },
      magnitude: { read: 3, kept: 3, dropped: 0 },
      stationMagnitude: { read: 2, kept: 2, dropped: 0 },
      amplitude: { read: 2, kept: 2, dropped: 0 },
      pick: { read: 3, kept: 3, dropped: 0 },
      arrival: { read: 3, kept: 3, dropped: 0 },
      focalMechanism: { read: 1, kept: 1, dropped: 0 },
      comment: { read: 5, kept: 5, dropped: 0 },
    });
    expect(BulletinBody.parse(bulletin)).toEqual(bulletin);
  });

  test("shows the prime origin and the best of its magnitudes in the row", () => {
    expect(read.events).toEqual([
      expect.objectContaining({
        source_id: "600516598",
        time: "2024-05-06T23:59:52.25Z",
        time_uncertainty: 0.1,
        latitude: -41.45,
        longitude: 174.55,
        depth: 25.1,
        depth_uncertainty: 2.5,
        horizontal_uncertainty: 5.5,
        magnitude: 5.3,
        magnitude_type: "mb",
        magnitude_uncertainty: 0.2,
        magnitude_station_count: 30,
        region: "North Island, New Zealand",
        event_type: "earthquake",
        event_type_certainty: "known",
        evaluation_mode: "manual",
        agency_id: "ISC",
        author: "ISC",
        used_phase_count: 44,
        used_station_count: 40,
        azimuthal_gap: 75,
        standard_error: 0.9,
        minimum_distance: 0.45,
      }),
    ]);
  });

  test("has every origin, with its ellipse and depth error of 90 %", () => {
    expect(bulletin.preferredOriginID).toBe("99");
    expect(neic).toMatchObject({
      publicID: "12345678901",
      time: { value: "2024-05-06T23:59:50.50Z", uncertainty: 0.25 },
      latitude: { value: -41.5 },
      longitude: { value: 174.5 },
      depth: { value: 33_000 },
      depthType: "operator assigned",
      evaluationMode: "manual",
      quality: { maximumDistance: 90.25, azimuthalGap: 120, usedPhaseCount: 20 },
      originUncertainty: [
        {
          maxHorizontalUncertainty: 12_500,
          minHorizontalUncertainty: 8000,
          azimuthMaxHorizontalUncertainty: 45,
          preferredDescription: "uncertainty ellipse",
          confidenceLevel: 90,
        },
      ],
      comment: [{ text: "depth of a neighbour (assumed)" }],
    });
    expect(gcmt).toMatchObject({
      publicID: "77",
      type: "centroid",
      timeFixed: true,
      epicenterFixed: true,
      depth: { value: 20_500, uncertainty: 1500, confidenceLevel: 90 },
      depthType: "constrained by depth phases",
      comment: [{ text: "#PARAM pP_DEPTH=22.1+0.8" }],
    });
    expect(isc?.quality?.secondaryAzimuthalGap).toBe(80);
    expect(own(isc)).toEqual({
      locationMethod: "i",
      reporter: "NDI",
      depthPhaseDepth: "24.0",
      depthPhaseDepthError: "1.5",
      analysis: "g",
    });
    expect([neic, gcmt].map((origin) => own(origin)["eventType"])).toEqual(["de", "ke"]);
  });

  test("keeps what has no place as it stands", () => {
    expect(own(bulletin)).toEqual({
      origin: expect.stringMatching(/^2024\/05\/06 23:59:00 +IPE +100$/),
      effects: "_F__________________ Summar                     6.0      MSK   WEL",
    });
    expect(read.warnings).toEqual([
      "29: the origin has no time or place; its line is kept as foreign",
    ]);
  });

  test("has magnitudes with their origins, comments over several lines and upper limits", () => {
    expect(
      bulletin.magnitude?.map(({ type, mag, originID, creationInfo }) => [
        type,
        mag.value,
        originID,
        creationInfo?.author,
      ]),
    ).toEqual([
      ["mb", 5.3, "99", "ISC"],
      ["MW", 5.5, "77", "GCMT"],
      ["ML", -0.5, "12345678901", "WEL"],
    ]);
    expect(bulletin.magnitude?.[0]?.comment).toEqual([{ text: "#STATIONS WEL BFZ\n         KHZ" }]);
    expect(own(bulletin.magnitude?.[2])).toEqual({ limit: "<" });
  });

  test("gives arrivals to the origin named before them, else to the prime one", () => {
    expect(isc?.arrival?.map(({ pickID, phase }) => [pickID, phase])).toEqual([
      ["5001", "Pn"],
      ["5002", "Sn"],
    ]);
    expect(neic?.arrival?.map(({ pickID, phase }) => [pickID, phase])).toEqual([["5003", "Sg"]]);
    expect(isc?.arrival?.[0]).toMatchObject({
      distance: 0.45,
      azimuth: 200,
      timeResidual: -0.5,
      backazimuthResidual: 0.5,
      horizontalSlownessResidual: -0.3,
      timeWeight: 1,
      backazimuthWeight: 1,
      horizontalSlownessWeight: 0,
    });
    expect(own(isc?.arrival?.[1])).toEqual({ timeWeightFlag: "x" });
  });

  test("has picks on the day that is nearest to the origin, with the whole channel", () => {
    expect(bulletin.pick?.map(({ time }) => time.value)).toEqual([
      "2024-05-06T23:59:59.125Z",
      "2024-05-07T00:00:20.5Z",
      "2024-05-07T00:00:20.5Z",
    ]);
    const [first, second, third] = bulletin.pick ?? [];
    expect(first).toMatchObject({
      waveformID: {
        networkCode: "NZ",
        stationCode: "WEL",
        locationCode: "10",
        channelCode: "HHZ",
      },
      phaseHint: "Pn",
      backazimuth: { value: 20.5 },
      horizontalSlowness: { value: 13.7 },
      evaluationMode: "manual",
      polarity: "positive",
      onset: "impulsive",
      creationInfo: { author: "WEL" },
      comment: [{ text: "#MEASURE tc=25.4" }],
    });
    expect(own(first)).toEqual({
      stationAgency: "FDSN",
      reporter: "NDI",
      longPeriodMotion: "c",
      stationLatitude: "-41.2841",
      stationLongitude: "174.7682",
      stationElevation: "138.0",
      stationDepth: "0.0",
    });
    expect(second?.waveformID).toEqual({ networkCode: "NZ", stationCode: "BFZ", locationCode: "" });
    expect(third?.waveformID).toEqual({ networkCode: "", stationCode: "BFZ" });
  });

  test("has amplitudes in metres with their station magnitudes, also of lines without a time", () => {
    const [first, second] = bulletin.amplitude ?? [];
    expect(first).toMatchObject({
      genericAmplitude: { value: 123.4e-9 },
      unit: "m",
      period: { value: 0.8 },
      snr: 12.5,
      pickID: "5001",
      waveformID: { channelCode: "HHN" },
    });
    expect(second).toMatchObject({
      genericAmplitude: { value: 50e-9 },
      type: "AML",
      pickID: "5001",
      waveformID: { channelCode: "HHE" },
    });
    expect(
      bulletin.stationMagnitude?.map(({ type, mag, amplitudeID, originID }) => [
        type,
        mag.value,
        amplitudeID,
        originID,
      ]),
    ).toEqual([
      ["mb", 5.4, first?.publicID, "99"],
      ["ML", 5.1, second?.publicID, "99"],
    ]);
  });

  test("has tensor, planes and axes of one author as one mechanism", () => {
    expect(bulletin.focalMechanism).toHaveLength(1);
    const { nodalPlanes, principalAxes, momentTensor, ...mechanism } =
      bulletin.focalMechanism?.[0] ?? {};
    expect(mechanism).toMatchObject({
      creationInfo: { author: "GCMT" },
      stationPolarityCount: 12,
    });
    expect(own(bulletin.focalMechanism?.[0])).toEqual({
      solutionType: "BDC",
      shearPolarityCount: "3",
      axesClvd: "0.090",
    });
    expect(nodalPlanes).toEqual({
      preferredPlane: 2,
      nodalPlane1: { strike: { value: 210 }, dip: { value: 45 }, rake: { value: -90 } },
      nodalPlane2: { strike: { value: 30 }, dip: { value: 45.5 }, rake: { value: -89.5 } },
    });
    expect(principalAxes).toMatchObject({
      tAxis: { azimuth: { value: 120 }, length: { value: 1.2e17, uncertainty: 2e15 } },
      nAxis: { azimuth: { value: 210 }, plunge: { value: 2 }, length: { value: 1e16 } },
      pAxis: { plunge: { value: 84 }, length: { value: -1.3e17 } },
    });
    expect(momentTensor).toEqual([
      {
        publicID: expect.any(String),
        derivedOriginID: "77",
        scalarMoment: { value: 1.25e17, uncertainty: 1e15 },
        clvd: 0.1,
        tensor: {
          Mrr: { value: 1e17, uncertainty: 2e15 },
          Mtt: { value: -5e16 },
          Mpp: { value: -5e16 },
          Mrt: { value: 2.5e16 },
          Mtp: { value: -1.25e16 },
          Mrp: { value: 7.5e16 },
        },
        dataUsed: [
          { waveType: "body waves", stationCount: 50, componentCount: 80 },
          { waveType: "surface waves", stationCount: 40, componentCount: 70 },
        ],
        sourceTimeFunction: { type: "unknown", duration: 3.2 },
      },
    ]);
  });

  test("gives the same ids when it is read again", () => {
    expect(readFixture("extended").bulletins).toEqual(read.bulletins);
  });
});

describe.each([
  ["ke", "earthquake", "known"],
  ["se", "earthquake", "suspected"],
  ["de", "earthquake", "known"],
  ["fe", "earthquake", "known"],
  ["kr", "rock burst", "known"],
  ["si", "induced or triggered event", "suspected"],
  ["km", "mining explosion", "known"],
  ["sh", "chemical explosion", "suspected"],
  ["kx", "experimental explosion", "known"],
  ["kn", "nuclear explosion", "known"],
  ["ls", "landslide", "known"],
])("an origin of type %s", (letters, type, typeCertainty) => {
  test(`makes the event's type ${type}, ${typeCertainty}`, () => {
    const text = fixtureText("first").replace(" uk IDC", ` ${letters} IDC`);
    expect(onlyBulletin(readFile(text))).toMatchObject({ type, typeCertainty });
  });
});

describe("a bulletin in IMS1.0 and ISF 1.0", () => {
  const read = readFixture("first");
  const bulletin = onlyBulletin(read);

  test("prefers the last origin where none is prime, whose unknown type is the event's", () => {
    expect(read.errors).toEqual([]);
    expect(bulletin).toMatchObject({ publicID: "4021", preferredOriginID: "2" });
    expect(bulletin.type).toBeUndefined();
    expect(bulletin.origin?.map((origin) => own(origin)["eventType"])).toEqual(["sm", "uk"]);
    expect(read.events).toMatchObject([
      { source_id: "4021", time: "2000-01-01T00:01:00.00Z", magnitude: 3.4, author: "IDC_REB" },
      { source_id: "4022", time: "2000-01-02T01:02:03.00Z" },
    ]);
  });

  test("has phase information at the phases, whose date wins", () => {
    expect(bulletin.pick).toMatchObject([
      {
        publicID: "31",
        time: { value: "2000-01-01T23:59:58.000Z", uncertainty: 0.05 },
        backazimuth: { value: 270, uncertainty: 2.5 },
        waveformID: { networkCode: "CH", stationCode: "DAVOX", channelCode: "HHZ" },
        phaseHint: "Pg",
        creationInfo: { author: "SED" },
      },
      { publicID: "32", time: { value: "2000-01-01T00:01:30.250Z" }, phaseHint: "S" },
    ]);
    expect(own(bulletin.pick?.[0])).toEqual({
      filter: "C",
      filterLow: "0.50",
      filterHigh: "10.00",
    });
    expect(bulletin.origin?.[1]?.arrival?.[0]).toMatchObject({ phase: "P", timeWeight: 0.75 });
    expect(bulletin.amplitude?.[0]).toMatchObject({
      genericAmplitude: { value: 10e-9, uncertainty: 0.5e-9 },
      period: { value: 0.5 },
    });
  });
});
