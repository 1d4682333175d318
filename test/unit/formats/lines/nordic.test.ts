import { describe, expect, test } from "vitest";
import { BulletinBody } from "#contracts/bulletin/bulletin-schema.ts";
import { readFile } from "../read-file.ts";
import { expectWholeEvents } from "./expect-whole-events.ts";
import { eventAtMinute, NEW, OLD, timeInMinute } from "./nordic-events.ts";

const text = (...events: readonly (readonly string[])[]) => `${events.flat().join("\n")}\n`;
const own = "urn:earthquake-catalogue:1.0";

describe("an event in the old Nordic format", () => {
  const read = readFile(text(OLD, NEW), { extension: "json" });
  const [bulletin] = read.bulletins;

  test("is found by its content, and is a whole bulletin", () => {
    expect(read).toMatchObject({ format: "nordic", errors: [], warnings: [] });
    expect(read.elements?.event).toEqual({ read: 2, kept: 2, dropped: 0 });
    for (const one of read.bulletins) expect(BulletinBody.parse(one)).toEqual(one);
  });

  test("has the first hypocentre in the row, with the digits of H and the errors of E", () => {
    expect(read.events[0]).toMatchObject({
      source_id: "20240229235954",
      time: "2024-02-29T23:59:54.912Z",
      time_uncertainty: 2.78,
      latitude: 60.001,
      longitude: 7.502,
      depth: 12.345,
      depth_uncertainty: 12.8,
      depth_type: "operator assigned",
      magnitude: 2.5,
      magnitude_type: "Mw",
      event_type: "explosion",
      event_type_certainty: "known",
      agency_id: "TES",
      used_station_count: 12,
      standard_error: 0.605,
      azimuthal_gap: 177,
    });
    const [origin, other] = bulletin?.origin ?? [];
    // 111.2 km to the north; 55.6 km to the east, where at 60° a degree has half as many kilometres.
    expect(origin?.latitude.uncertainty).toBeCloseTo(111.2 / 111.195, 4);
    expect(origin?.longitude.uncertainty).toBeCloseTo(1, 3);
    expect(origin).toMatchObject({ timeFixed: true, epicenterFixed: true });
    expect(origin?.foreign).toContainEqual({
      ns: own,
      name: "errors",
      attributes: [
        { name: "covarianceXY", text: "-0.2239E+02" },
        { name: "covarianceXZ", text: "0.6258E+03" },
        { name: "covarianceYZ", text: "-0.2817E+03" },
      ],
    });
    expect(other).toMatchObject({
      time: { value: "2024-02-29T23:59:55.5Z" },
      latitude: { value: 60.1 },
      depth: { value: 29_200 },
      creationInfo: { agencyID: "NAO" },
    });
    expect(other).not.toHaveProperty("arrival");
  });

  test("has the errors of E whatever lines of type 1 stand between", () => {
    for (const agency of ["NAO", "   "]) {
      const lines = OLD.map((line) => line.replace("29.2  NAO", `29.2  ${agency}`));
      const [errors = ""] = lines.splice(2, 1);
      const [digits = "", other = ""] = lines.splice(2, 2);
      const moved = [...lines.slice(0, 2), digits, other, errors, ...lines.slice(2)];
      const [first, second] = readFile(text(moved)).bulletins[0]?.origin ?? [];
      expect(first).toMatchObject({
        time: { uncertainty: 2.78 },
        depth: { uncertainty: 12_800 },
        quality: { azimuthalGap: 177 },
      });
      expect(second?.time).not.toHaveProperty("uncertainty");
    }
  });

  test("has magnitudes by letters whose case counts, those of a further line with the same agency's origin", () => {
    const [first, second] = bulletin?.origin?.map(({ publicID }) => publicID) ?? [];
    expect(
      bulletin?.magnitude?.map(({ type, mag, originID, creationInfo }) => [
        type,
        mag.value,
        creationInfo?.agencyID,
        originID === first ? 1 : originID === second ? 2 : 0,
      ]),
    ).toEqual([
      ["ML", 1.9, "TES", 1],
      ["Mc", 2.2, "TES", 1],
      ["mb", 2, "NAO", 1],
      ["Mw", 2.5, "TES", 1],
      ["Ms", 2, "NAO", 2],
    ]);
  });

  test("has picks whose hours from 24 on, and 0 after 23, are of the next day", () => {
    expect(
      bulletin?.pick?.map(({ time, phaseHint, onset, polarity, evaluationMode }) => [
        time.value,
        phaseHint,
        onset,
        polarity,
        evaluationMode,
      ]),
    ).toEqual([
      ["2024-02-29T23:59:58.25Z", "P", "impulsive", "positive", "manual"],
      ["2024-03-01T00:00:01.5Z", "S", "emergent", undefined, "manual"],
      ["2024-03-01T00:01:12.123Z", "Pn", undefined, "negative", "automatic"],
      ["2024-03-01T00:01:20.50Z", "IAML", undefined, undefined, "manual"],
      ["2024-03-01T00:01:46.859Z", "PKiKP", "emergent", undefined, "manual"],
    ]);
    expect(bulletin?.pick?.[0]?.waveformID).toEqual({
      networkCode: "",
      stationCode: "SIMPL",
      channelCode: "SZ",
    });
  });

  test("has arrivals with degrees of distance and weights from 0 to 1, at the first origin", () => {
    const arrivals = bulletin?.origin?.[0]?.arrival ?? [];
    expect(arrivals).toMatchObject([
      { phase: "P", azimuth: 30, takeoffAngle: { value: 120 }, timeResidual: 0.1, timeWeight: 1 },
      { phase: "S", timeResidual: -1.2, timeWeight: 0 },
      { phase: "Pn", azimuth: 180, timeResidual: 0.31, timeWeight: 0.5, backazimuthResidual: 3 },
      { phase: "PKiKP", timeResidual: 0.01, timeWeight: 1 },
    ]);
    expect(arrivals[0]?.distance).toBeCloseTo(0.5, 3);
    expect(bulletin?.pick?.[2]?.backazimuth).toEqual({ value: 12.5 });
    // A degree is 111.195 km: at 8 km/s that takes 13.9 s.
    expect(bulletin?.pick?.[2]?.horizontalSlowness?.value).toBeCloseTo(13.8994, 4);
    expect(bulletin?.pick?.[1]?.foreign).toEqual([
      { ns: own, name: "reading", attributes: [{ name: "weight", text: "4" }] },
    ]);
  });

  test("has amplitudes in metres, and codas", () => {
    expect(bulletin?.amplitude).toMatchObject([
      { genericAmplitude: { value: 35 }, type: "END", category: "duration", unit: "s" },
      {
        genericAmplitude: { value: 1.8e-9 },
        type: "AML",
        unit: "m",
        period: { value: 0.08 },
        magnitudeHint: "ML",
        pickID: bulletin?.pick?.[3]?.publicID,
      },
    ]);
  });

  test("has fault planes of both forms, comments, and its other lines", () => {
    expect(bulletin?.focalMechanism).toMatchObject([
      {
        nodalPlanes: {
          nodalPlane1: {
            strike: { value: 41, uncertainty: 5 },
            dip: { value: 60, uncertainty: 3 },
            rake: { value: -90, uncertainty: 2 },
          },
        },
        misfit: 0.1,
        stationDistributionRatio: 0.2,
        creationInfo: { agencyID: "TES" },
      },
      {
        nodalPlanes: {
          nodalPlane1: { strike: { value: 8.3 }, dip: { value: 41 }, rake: { value: 74.7 } },
        },
      },
    ]);
    expect(bulletin?.focalMechanism?.map(({ foreign }) => foreign?.[0]?.attributes)).toEqual([
      [
        { name: "amplitudeRatioFit", text: "0.3" },
        { name: "badPolarities", text: "1" },
        { name: "badAmplitudeRatios", text: "2" },
        { name: "program", text: "FPFIT" },
        { name: "quality", text: "A" },
      ],
      [{ name: "badPolarities", text: "1" }],
    ]);
    expect(bulletin?.comment).toEqual([{ text: "An event for tests" }]);
    expect(bulletin?.foreign?.map(({ text, attributes }) => [attributes?.[0]?.text, text])).toEqual(
      [
        ["2", "felt at Ørland"],
        ["6", "2024-02-29-2359-48S.TEST__003"],
        ["I", "ACTION:UPD 24-03-01 12:04 OP:jh   STATUS:               ID:20240229235954 L"],
      ],
    );
  });
});

describe("an event in the new Nordic format", () => {
  const read = readFile(text(NEW));
  const [bulletin] = read.bulletins;

  test("has networks, locations, agencies and operators of its picks", () => {
    expect(read.events[0]).toMatchObject({
      latitude: -60.109,
      magnitude: -0.7,
      event_type: "explosion",
      event_type_certainty: "suspected",
    });
    expect(read.events[0]).not.toHaveProperty("source_id");
    expect(bulletin?.pick?.[0]).toMatchObject({
      time: { value: "2021-01-03T03:45:26.970Z" },
      waveformID: {
        networkCode: "NS",
        stationCode: "BAS17",
        locationCode: "00",
        channelCode: "HHZ",
      },
      onset: "impulsive",
      polarity: "negative",
      evaluationMode: "automatic",
      creationInfo: { agencyID: "BER", author: "ml" },
    });
    expect(bulletin?.pick?.map(({ phaseHint, time }) => [phaseHint, time.value.slice(14)])).toEqual(
      [
        ["P", "45:26.970Z"],
        ["S", "46:00.600Z"],
        ["IAML", "45:29.670Z"],
        ["IVmB_BB", "45:29.670Z"],
        ["END", "46:09.670Z"],
      ],
    );
  });

  test("has an azimuth's line at the pick of its station and time", () => {
    expect(bulletin?.pick?.[0]?.backazimuth).toEqual({ value: 172.5 });
    expect(bulletin?.pick?.[0]?.horizontalSlowness?.value).toBeCloseTo(13.8994, 4);
    expect(bulletin?.origin?.[0]?.arrival).toMatchObject([
      {
        phase: "P",
        takeoffAngle: { value: 147 },
        timeResidual: 0.47,
        timeWeight: 1,
        backazimuthResidual: -2.5,
      },
      { phase: "S", timeResidual: 1.16, timeWeight: 0 },
    ]);
  });

  test("has amplitudes with the residuals of their magnitudes, and codas", () => {
    expect(bulletin?.amplitude).toMatchObject([
      { genericAmplitude: { value: 27.7e-9 }, type: "AML", unit: "m", period: { value: 0.09 } },
      { genericAmplitude: { value: 1e-7 }, type: "IVmB_BB", unit: "m/s", magnitudeHint: "mB" },
      { genericAmplitude: { value: 55 }, type: "END", unit: "s" },
    ]);
    expect(bulletin?.amplitude?.[0]?.foreign?.[0]?.attributes).toContainEqual({
      name: "magnitudeResidual",
      text: "-0.46",
    });
  });

  test("has a moment tensor in N·m, with its own origin and magnitude", () => {
    const [, centroid] = bulletin?.origin ?? [];
    expect(centroid).toMatchObject({ type: "centroid", depth: { value: 10_000 } });
    expect(bulletin?.magnitude?.[1]).toMatchObject({
      mag: { value: 5.1 },
      type: "Mw",
      originID: centroid?.publicID,
    });
    expect(bulletin?.focalMechanism?.[0]?.momentTensor?.[0]).toMatchObject({
      derivedOriginID: centroid?.publicID,
      momentMagnitudeID: bulletin?.magnitude?.[1]?.publicID,
      scalarMoment: { value: 1.6e16 },
      tensor: {
        Mrr: { value: 1.5e16 },
        Mtt: { value: -5e15 },
        Mpp: { value: -1e16 },
        Mrt: { value: 2.5e15 },
        Mrp: { value: -7.5e15 },
        Mtp: { value: 1.25e15 },
      },
    });
  });
});

describe("files in the Nordic format", () => {
  test("have a hundred events, each with its own time, and give the same ids when read again", () => {
    const minutes = Array.from({ length: 100 }, (_, i) => i);
    const content = text(...minutes.map(eventAtMinute));
    const read = readFile(content);
    expect(read.errors).toEqual([]);
    expect(read.elements?.pick).toEqual({ read: 100, kept: 100, dropped: 0 });
    expect(read.bulletins.map(({ origin }) => origin?.[0]?.time.value)).toEqual(
      minutes.map((i) => timeInMinute(i, "01.5")),
    );
    expect(readFile(content).bulletins).toEqual(read.bulletins);
  });

  test("are lists of events where they have nothing but hypocentres", () => {
    const list = [OLD[0], OLD[4], NEW[0]].join("\n");
    for (const end of ["\n", ""]) {
      const read = readFile(list + end);
      expect(read).toMatchObject({ format: "nordic", errors: [], warnings: [] });
      expect(read.rows).toHaveLength(3);
    }
    const cut = readFile(list.slice(0, -30));
    expect(cut.rows).toHaveLength(2);
    expect(cut.errors).toHaveLength(1);
  });

  test("may have an id twice: the events stay two", () => {
    const read = readFile(text(OLD, OLD));
    expect(read.events.map(({ source_id }) => source_id)).toEqual([
      "20240229235954",
      "20240229235954-2",
    ]);
    expect(read.warnings).toEqual([
      "19: the id 20240229235954 was there before: this event's is 20240229235954-2",
    ]);
  });

  test("may be in Latin-1, and of Windows", () => {
    const read = readFile(Buffer.from(text(OLD).replaceAll("\n", "\r\n"), "latin1"));
    expect(read.errors).toEqual([]);
    expect(read.bulletins[0]?.foreign?.[0]?.text).toBe("felt at Ørland");
  });

  test.each([
    [
      "no such day",
      OLD[0] ?? "",
      " 2024 0230",
      "1: there is no time of the calendar in columns 2 to 20",
    ],
    ["letters for a depth", " 12.0FF", " 1z.0FF", '1: columns 39 to 43 hold "1z.0", no number'],
    [
      "letters for a residual",
      " 0.1010",
      " 0.1o10",
      '13: columns 64 to 68 hold "0.1o", no number, of the event that line 1 begins',
    ],
    [
      "a minute that is none",
      "C 2359 58",
      "C 23x9 58",
      "13: there is no time of the phase, of the event that line 1 begins",
    ],
  ])("with %s lose that event whole, and no other", (_, old, replaced, error) => {
    const faulty = text(OLD).replace(old.slice(0, 10), replaced.slice(0, 10));
    const read = readFile(faulty + text(NEW));
    expect(read.errors).toEqual([error]);
    expect(read.rows).toHaveLength(1);
  });

  test("tell an event without a place, and count its parts", () => {
    const read = readFile(text(NEW).replace("-60.109   5.402", "".padEnd(15)));
    expect(read.errors).toEqual(["1: the event has no origin"]);
    expect(read.elements).toMatchObject({
      event: { read: 1, kept: 0, dropped: 1 },
      pick: { read: 5, kept: 0, dropped: 5 },
    });
  });

  test("tell half a moment tensor, and an event without a line of type 1", () => {
    expect(readFile(text(NEW.toSpliced(2, 1))).errors).toEqual([
      "2: the first line of a moment tensor has no second, of the event that line 1 begins",
    ]);
    expect(readFile(text(OLD.slice(5))).errors).toEqual([
      "1: the event has no line of type 1, so no time",
    ]);
  });

  test("are told to be cut in their middle, also where only the empty line is missing", () => {
    const whole = text(NEW, OLD);
    for (const length of [whole.length - 90, whole.length - 200, text(NEW).length + 50]) {
      const read = readFile(whole.slice(0, length));
      expect(read.rows).toHaveLength(1);
      expect(read.errors).toEqual([
        "12: the file ends without an empty line and may be cut off there",
      ]);
    }
    const read = readFile(text(NEW, OLD.slice(0, -1)));
    expect(read.rows).toHaveLength(2);
    expect(read.warnings).toEqual([
      "28: the file ends without an empty line and may be cut off there",
    ]);
  });
});

test("whatever is wrong in a file of Nordic, an event is read whole or told", () => {
  expectWholeEvents(text(OLD, NEW));
});
