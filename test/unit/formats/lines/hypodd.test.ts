import { describe, expect, test } from "vitest";
import { BulletinBody } from "#contracts/bulletin/bulletin-schema.ts";
import { readFile } from "../read-file.ts";
import { expectWholeEvents } from "./expect-whole-events.ts";
import { NUMBERS, PHASES, RELOCATED } from "./hypodd-events.ts";

describe("phase data of hypoDD", () => {
  const read = readFile(PHASES, { extension: "csv" });
  const [first, second, third] = read.bulletins;

  test("are found by their content, and their events are whole bulletins", () => {
    expect(read).toMatchObject({ format: "hypodd", errors: [], warnings: [] });
    expect(read.elements).toEqual({
      event: { read: 3, kept: 3, dropped: 0 },
      origin: { read: 3, kept: 3, dropped: 0 },
      magnitude: { read: 1, kept: 1, dropped: 0 },
      pick: { read: 3, kept: 3, dropped: 0 },
      arrival: { read: 3, kept: 3, dropped: 0 },
    });
    for (const bulletin of read.bulletins) expect(BulletinBody.parse(bulletin)).toEqual(bulletin);
  });

  test("have the second 60 in the next minute, and errors of kilometres", () => {
    expect(read.events[0]).toMatchObject({
      source_id: "20202331",
      time: "2024-03-01T00:00:00.000000Z",
      latitude: 60,
      longitude: 7.5,
      depth: 9.408,
      depth_uncertainty: 0.5,
      horizontal_uncertainty: 0.25,
      standard_error: 0.12,
      magnitude: 3.5,
    });
    expect(first?.origin?.[0]).toMatchObject({
      depth: { value: 9408, uncertainty: 500 },
      originUncertainty: [{ horizontalUncertainty: 250 }],
      quality: { associatedPhaseCount: 2, standardError: 0.12 },
    });
  });

  test("have no magnitude for NaN and 0, and no errors for 0", () => {
    expect(second).not.toHaveProperty("magnitude");
    expect(third).not.toHaveProperty("magnitude");
    expect(third?.foreign).toEqual([
      { ns: "urn:earthquake-catalogue:1.0", name: "magnitude", text: "0.0" },
    ]);
    expect(second?.origin?.[0]).toMatchObject({
      depth: { value: -774 },
      quality: { associatedPhaseCount: 1 },
    });
    expect(second?.origin?.[0]).not.toHaveProperty("originUncertainty");
    expect(third?.origin?.[0]).not.toHaveProperty("quality");
  });

  test("have picks at the origin's time and the travel time", () => {
    expect(
      first?.pick?.map(({ time, waveformID, phaseHint }) => [time.value, waveformID, phaseHint]),
    ).toEqual([
      ["2024-03-01T00:00:03.521999Z", { networkCode: "", stationCode: "SIMPL" }, "P"],
      ["2024-03-01T00:00:05.862000Z", { networkCode: "CH", stationCode: "BNALP" }, "S"],
    ]);
    expect(first?.origin?.[0]?.arrival).toMatchObject([
      { pickID: first?.pick?.[0]?.publicID, phase: "P", timeWeight: 1 },
      { pickID: first?.pick?.[1]?.publicID, phase: "S", timeWeight: 0.5 },
    ]);
    expect(second?.origin?.[0]?.arrival).toMatchObject([{ timeWeight: -1 }]);
  });

  test("keep a station's code that is too long whole, beside the cut one", () => {
    const [, long] = readFile(PHASES.replace("UBR ", "UNTERBREIZBACH ")).bulletins;
    expect(long?.pick?.[0]?.waveformID).toEqual({
      networkCode: "",
      stationCode: "UNTERBRE",
      foreign: [{ ns: "urn:earthquake-catalogue:1.0", name: "station", text: "UNTERBREIZBACH" }],
    });
  });

  test.each([
    ["a word too few", "8\n", "\n", "6: an event begins with 15 words, here are 14"],
    [
      "a phase without a time",
      "2.4  -1.0",
      "NaN  -1.0",
      "5: there is no travel time, of the event that line 4 begins",
    ],
    [
      "a phase cut off",
      "0.5000  S",
      "0.5000",
      "3: a phase has 4 words, here are 3, of the event that line 1 begins",
    ],
    ["letters for a depth", "9.4080", "9,4080", '1: the depth is "9,4080", no number'],
  ])("with %s lose that event whole, and no other", (_, old, text, error) => {
    const faulty = readFile(PHASES.replace(old, text));
    expect(faulty.errors).toEqual([error]);
    expect(faulty.rows).toHaveLength(2);
  });

  test("may have ids with letters", () => {
    const named = PHASES.replaceAll(/^(#.* )(\d+)$/gm, "$1nc$2");
    const { format, errors, bulletins } = readFile(named);
    expect({ format, errors }).toEqual({ format: "hypodd", errors: [] });
    expect(bulletins.map(({ publicID }) => publicID)).toEqual(["nc20202331", "nc7", "nc8"]);
  });

  test("that have an id twice say so", () => {
    expect(readFile(PHASES.replace("20202331", "7")).warnings).toEqual([
      "4: the id 7 was there before",
    ]);
  });

  test("are told to be cut in their middle", () => {
    for (const length of [PHASES.length - 5, PHASES.length - 75]) {
      const cut = readFile(PHASES.slice(0, length));
      expect(cut.errors).toHaveLength(1);
      expect(cut.rows).toHaveLength(cut.elements?.event?.kept ?? 0);
    }
  });
});

test("names of columns above hypoDD's events are no event", () => {
  for (const [head, file] of [
    [
      "ID LAT LON DEPTH X Y Z EX EY EZ YR MO DY HR MI SC MAG NCCP NCCS NCTP NCTS RCC RCT CID",
      RELOCATED,
    ],
    ["# YR MO DY HR MI SC LAT LON DEP MAG EH EZ RMS ID", PHASES],
  ] as const) {
    const { elements, errors, bulletins } = readFile(`${head}\n${file}`);
    expect(errors).toEqual([]);
    expect(elements?.event?.dropped).toBe(0);
    expect(bulletins).toEqual(readFile(file).bulletins);
  }
});

describe("relocations of hypoDD", () => {
  const read = readFile(RELOCATED, { extension: "xml" });
  const [first, second] = read.bulletins;

  test("are one origin of the event with their id", () => {
    expect(read).toMatchObject({ format: "hypodd", errors: [], warnings: [] });
    expect(read.elements).toEqual({
      event: { read: 2, kept: 2, dropped: 0 },
      origin: { read: 2, kept: 2, dropped: 0 },
      magnitude: { read: 1, kept: 1, dropped: 0 },
    });
    expect(read.events.map(({ source_id }) => source_id)).toEqual(["20202331", "7"]);
    for (const bulletin of read.bulletins) expect(BulletinBody.parse(bulletin)).toEqual(bulletin);
  });

  test("keep a magnitude of 0, which stands for none", () => {
    const kept = [{ ns: "urn:earthquake-catalogue:1.0", name: "magnitude", text: "0.0" }];
    expect([first?.foreign, second?.foreign]).toEqual([undefined, kept]);
    expect(second).not.toHaveProperty("magnitude");
  });

  test("have errors of metres, and keep what is relative", () => {
    const origin = first?.origin?.[0];
    expect(origin).toMatchObject({
      time: { value: "2024-03-01T00:01:00.000Z" },
      depth: { value: 9250, uncertainty: 300 },
    });
    // 200 m to the north; 100 m to the east, where at 60° a degree has half as many kilometres.
    expect(origin?.latitude.uncertainty).toBeCloseTo(0.2 / 111.195, 7);
    expect(origin?.longitude.uncertainty).toBeCloseTo(0.2 / 111.195, 7);
    expect(origin?.foreign?.[0]?.attributes).toEqual(
      Object.entries({
        X: "-1234.5",
        Y: "2000.0",
        Z: "-10.5",
        NCCP: "12",
        NCCS: "8",
        NCTP: "30",
        NCTS: "25",
        RCC: "0.010",
        RCT: "0.123",
        CID: "1",
      }).map(([name, text]) => ({ name, text })),
    );
    expect(second?.origin?.[0]).toMatchObject({ depth: { value: -774 } });
    expect(second?.origin?.[0]?.latitude).not.toHaveProperty("uncertainty");
  });

  test("are other origins than those of the phase data, and than those of another relocation", () => {
    const ids = [PHASES, RELOCATED, RELOCATED.replace("9.250", "9.500"), RELOCATED].map(
      (text) => readFile(text).bulletins[0]?.origin?.[0]?.publicID,
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids[3]).toBe(ids[1]);
  });

  test.each([
    ["hypoDD's .loc", `${NUMBERS} 1`],
    ["tomoDD's", `${NUMBERS} 12 8 30 25 0.010 0.123`],
  ])("have %s columns too", (_, columns) => {
    const other = readFile(`12 60.0 7.5 9.25 ${columns}\n`);
    expect(other).toMatchObject({ format: "hypodd", errors: [] });
    expect(other.events).toMatchObject([{ source_id: "12", depth: 9.25, magnitude: 3.5 }]);
  });

  test("are told to be cut in their middle", () => {
    const cut = readFile(RELOCATED.slice(0, RELOCATED.length - 8));
    expect(cut.errors).toEqual(["2: a relocated event has 18, 23 or 24 words, here are 22"]);
    expect(cut.rows).toHaveLength(1);
  });
});

describe("tables of numbers that are not hypoDD's", () => {
  test.each([
    [
      "ZMAP with 13 columns",
      "170.1 -43.2 2012 5 3 4.5 10 12 30 15.5 1.2 2.0 0.1\n".repeat(3),
      "txt",
    ],
    [
      "rows of four numbers below a comment",
      "# lon lat depth mag\n170.1 -43.2 10 4.5\n171 -43 12 5\n",
      "txt",
    ],
    [
      "18 numbers that hold no date",
      `${"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n".repeat(3)}`,
      "txt",
    ],
    ["a header of 24 names", `id lat lon ${"x ".repeat(21)}\n1 2 3 ${"4 ".repeat(21)}\n`, "txt"],
  ])("%s", (_, text, format) => {
    expect(readFile(text).format).toBe(format);
  });
});

test("whatever is wrong in a file of hypoDD, an event is read whole or told", () => {
  expectWholeEvents(PHASES);
  expectWholeEvents(RELOCATED);
});
