import { describe, expect, test } from "vitest";
import { BulletinBody } from "#contracts/bulletin/bulletin-schema.ts";
import { readFile } from "../read-file.ts";
import { expectWholeEvents } from "./expect-whole-events.ts";
import { ANDES, RIDGE } from "./ndk-events.ts";

const file = (...events: readonly (readonly string[])[]) => `${events.flat().join("\n")}\n`;

describe("a file of the Global CMT project", () => {
  const read = readFile(file(ANDES, RIDGE), { extension: "csv" });

  test("is found by its content, and its events are whole bulletins", () => {
    expect(read).toMatchObject({ format: "ndk", errors: [], warnings: [] });
    expect(read.elements).toEqual({
      event: { read: 2, kept: 2, dropped: 0 },
      origin: { read: 4, kept: 4, dropped: 0 },
      magnitude: { read: 5, kept: 5, dropped: 0 },
      focalMechanism: { read: 2, kept: 2, dropped: 0 },
      comment: { read: 2, kept: 2, dropped: 0 },
    });
    for (const bulletin of read.bulletins) expect(BulletinBody.parse(bulletin)).toEqual(bulletin);
  });

  test("has the hypocentre and Mw in the row", () => {
    expect(read.events[0]).toMatchObject({
      time: "2021-06-09T20:50:46.0Z",
      latitude: -20.45,
      longitude: -70.24,
      depth: 34.6,
      magnitude: 5.7,
      magnitude_type: "Mwc",
      region: "NEAR COAST OF NORTHERN C",
      source_id: "C202106092050A",
      agency_id: "PDEW",
    });
  });

  test("has a second 60 in the next minute, and depths above sea level", () => {
    expect(read.events[1]).toMatchObject({ time: "2021-01-01T00:00:00.0Z", depth: -1.1 });
    const [hypocentre, centroid] = read.bulletins[1]?.origin ?? [];
    expect(hypocentre?.depth).toEqual({ value: -1100 });
    expect(centroid?.time).toEqual({ value: "2020-12-31T23:59:58.8Z", uncertainty: 0.8 });
  });

  test("has mb and MS, but for 0.0, and says how Mw comes of the moment", () => {
    const [andes, ridge] = read.bulletins.map(({ magnitude = [] }) =>
      magnitude.map(({ type, mag, originID }) => [type, mag.value, originID]),
    );
    const [hypocentre, centroid] = read.bulletins[0]?.origin?.map(({ publicID }) => publicID) ?? [];
    expect(andes).toEqual([
      ["mb", 5.5, hypocentre],
      ["MS", 5.8, hypocentre],
      // log10 of 5.035e17 is 17.70200.
      ["Mwc", 5.7, centroid],
    ]);
    expect(ridge?.map(([type]) => type)).toEqual(["MS", "Mwc"]);
    expect(read.bulletins[0]?.magnitude?.at(-1)?.comment).toEqual([
      { text: "Mw = 2/3 (log10 M0 - 9.1), M0 in N·m" },
    ]);
  });

  test("has the centroid as second origin, with its errors and how its depth was found", () => {
    const [andes, ridge] = read.bulletins.map(({ origin = [] }) => origin[1]);
    expect(andes).toMatchObject({
      time: { value: "2021-06-09T20:50:51.3Z", uncertainty: 0.1 },
      latitude: { value: -20.46, uncertainty: 0.01 },
      longitude: { value: -70.73, uncertainty: 0.02 },
      depth: { value: 39_000, uncertainty: 400 },
      depthType: "from moment tensor inversion",
      epicenterFixed: false,
      type: "centroid",
    });
    expect(ridge).toMatchObject({ depthType: "operator assigned", epicenterFixed: true });
  });

  test("has the stamp and the version in creationInfo", () => {
    const stamped = (text: string) => ({
      foreign: [{ ns: "urn:earthquake-catalogue:1.0", name: "stamp", text }],
    });
    expect(read.bulletins.map(({ creationInfo }) => creationInfo)).toEqual([
      {
        agencyID: "GCMT",
        creationTime: "2021-07-26T11:23:55Z",
        version: "V10",
        ...stamped("S-20210726112355"),
      },
      { agencyID: "GCMT", version: "V10", ...stamped("O-00000000000000") },
    ]);
  });

  test("has the moment tensor in N·m, a duration of twice the half, axes and planes", () => {
    const [mechanism] = read.bulletins[0]?.focalMechanism ?? [];
    expect(mechanism?.momentTensor?.[0]).toMatchObject({
      derivedOriginID: read.bulletins[0]?.origin?.[1]?.publicID,
      momentMagnitudeID: read.bulletins[0]?.magnitude?.[2]?.publicID,
      scalarMoment: { value: 5.035e17 },
      tensor: {
        Mrr: { value: 4.18e17, uncertainty: 6.9e15 },
        Mtt: { value: -1.7e17, uncertainty: 4.6e15 },
        Mpp: { value: -2.48e17, uncertainty: 6e15 },
        Mrt: { value: -1.05e17, uncertainty: 5.2e15 },
        Mrp: { value: -2.41e17, uncertainty: 7.5e15 },
        Mtp: { value: -2.28e17, uncertainty: 3.8e15 },
      },
      dataUsed: [
        { waveType: "body waves", stationCount: 88, componentCount: 166, shortestPeriod: 40 },
        { waveType: "surface waves", stationCount: 96, componentCount: 189, shortestPeriod: 50 },
        { waveType: "mantle waves", stationCount: 41, componentCount: 52, shortestPeriod: 125 },
      ],
      sourceTimeFunction: { type: "triangle", duration: 3.6 },
      inversionType: "zero trace",
    });
    expect(mechanism?.nodalPlanes).toEqual({
      nodalPlane1: { strike: { value: 49 }, dip: { value: 30 }, rake: { value: 106 } },
      nodalPlane2: { strike: { value: 211 }, dip: { value: 61 }, rake: { value: 81 } },
    });
    expect(mechanism?.principalAxes).toEqual({
      tAxis: { azimuth: { value: 100 }, plunge: { value: 73 }, length: { value: 4.975e17 } },
      nAxis: { azimuth: { value: 216 }, plunge: { value: 8 }, length: { value: 1.2e16 } },
      pAxis: { azimuth: { value: 308 }, plunge: { value: 15 }, length: { value: -5.095e17 } },
    });
    expect(read.bulletins[1]?.focalMechanism?.[0]?.momentTensor?.[0]).toMatchObject({
      sourceTimeFunction: { type: "box car", duration: 1.4 },
      inversionType: "double couple",
    });
  });

  test("has Mw where another program than the project's wrote it", () => {
    const other = ANDES.map((line) => line.replace(/^V10/, "X10"));
    expect(readFile(file(other)).events).toMatchObject([{ magnitude: 5.7, magnitude_type: "Mw" }]);
  });

  test("that has an event's name twice says so", () => {
    const { warnings, rows } = readFile(file(ANDES, RIDGE, ANDES));
    expect(warnings).toEqual(["11: the id C202106092050A was there before"]);
    expect(rows).toHaveLength(3);
  });

  test("gives the same ids when it is read again", () => {
    expect(readFile(file(ANDES, RIDGE)).bulletins).toEqual(read.bulletins);
  });
});

describe("a faulty event of the Global CMT project", () => {
  const replaced = (line: number, old: string, text: string) =>
    ANDES.map((one, i) => (i === line - 1 ? one.replace(old, text) : one));

  test.each([
    [
      "no such day",
      replaced(1, "06/09", "06/31"),
      "6: there is no time of the calendar in columns 6 to 26",
    ],
    [
      "letters for a latitude",
      replaced(1, "-20.45", "-2o.45"),
      '6: columns 28 to 33 hold "-2o.45", no number',
    ],
    [
      "a source of another kind",
      replaced(2, "CMT: 1", "CSF: 1"),
      "7: there is no kind of source in columns 63 to 68: CMT: 0, 1 or 2, of the event that line 6 begins",
    ],
    [
      "no centroid",
      replaced(3, "CENTROID:", "CENTRE:  "),
      "8: an event's third line begins with CENTROID:, of the event that line 6 begins",
    ],
    [
      "a line too few",
      ANDES.toSpliced(3, 1),
      "9: an event has 5 lines, this one has 4, of the event that line 6 begins",
    ],
    [
      "a line cut off",
      replaced(4, " 0.038", ""),
      "9: the line is cut off, of the event that line 6 begins",
    ],
    [
      "no moment",
      replaced(5, "5.035", "0.000"),
      "10: the scalar moment is not above zero, of the event that line 6 begins",
    ],
  ])("with %s is left out whole, and the others are there", (_, faulty, error) => {
    const read = readFile(file(RIDGE, faulty, RIDGE));
    expect(read.errors).toEqual([error]);
    expect(read.rows).toHaveLength(2);
    expect(read.elements?.event).toEqual({ read: 3, kept: 2, dropped: 1 });
  });

  test.each([
    ["a plane", " 49 30  106", " 49 3x  106", { nodalPlane2: { strike: { value: 211 } } }],
    ["an axis", "8 216", "8 2l6", { nodalPlane1: {}, nodalPlane2: {} }],
  ])(
    "with %s that cannot be read is kept without it, and that is told",
    (part, old, bad, planes) => {
      const { bulletins, warnings, errors } = readFile(file(replaced(5, old, bad), RIDGE));
      expect(errors).toEqual([]);
      expect(warnings).toEqual([expect.stringMatching(/^5: .*; the event is kept without it$/)]);
      const [mechanism] = bulletins[0]?.focalMechanism ?? [];
      expect(mechanism?.nodalPlanes).toMatchObject(planes);
      expect(Object.keys(mechanism?.nodalPlanes ?? {})).toEqual(Object.keys(planes));
      expect(mechanism?.principalAxes === undefined).toBe(part === "an axis");
      expect(mechanism?.momentTensor?.[0]?.scalarMoment).toEqual({ value: 5.035e17 });
    },
  );

  test("is told where the file is cut in its middle", () => {
    const whole = file(RIDGE, ANDES);
    for (const length of [whole.length - 3, whole.length - 100, RIDGE.join("\n").length + 30]) {
      const read = readFile(whole.slice(0, length));
      expect(read.rows).toHaveLength(1);
      expect(read.errors).toHaveLength(1);
    }
  });
});

test("whatever is wrong in a file of the Global CMT project, an event is read whole or told", () => {
  expectWholeEvents(file(ANDES, RIDGE));
});
