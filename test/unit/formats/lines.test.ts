import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTextLines, MAX_LINE_LENGTH } from "#infra/formats/lines/block-reader.ts";
import { columnsOf, FaultyLine, integerIn, numberIn } from "#infra/formats/lines/fixed-columns.ts";
import { nordicEventAt, timeInMinute } from "../../support/formats/nordic-event.ts";
import { cutAt, readFile } from "../../support/formats/readers.ts";
import { sample } from "../../support/formats/sample.ts";

// What whole files are read as stands beside them in test/fixtures/formats: see golden.test.ts.

const PHASES = sample("hypodd/phases.pha");
const RELOCATED = sample("hypodd/relocated.reloc");
const ANDES = sample("ndk/andes.ndk");
const RIDGE = sample("ndk/ridge.ndk");
const VERSION_6 = sample("nonlinloc/version-6.hyp");
const VERSION_7 = sample("nonlinloc/version-7.hyp");
const OLD = sample("nordic/old.nor");
const NEW = sample("nordic/new.nor");
const OWN = "urn:earthquake-catalogue:1.0";

/** The text without a line, counted from 1. */
function without(text: string, line: number): string {
  return text
    .split("\n")
    .toSpliced(line - 1, 1)
    .join("\n");
}

/** The text with one part replaced in a line, counted from 1, where it is. */
function replaced(text: string, line: number, old: string, part: string): string {
  const lines = text.split("\n");
  expect(lines[line - 1]).toContain(old);
  return lines.with(line - 1, lines[line - 1]?.replace(old, part) ?? "").join("\n");
}

type Fault = readonly [what: string, file: string, error: string];
const OF_1 = ", of the event that line 1 begins";
const OF_6 = ", of the event that line 6 begins";

/** Files with one faulty event, what is told of it, and how many events each file has. */
const FAULTS: Readonly<Record<string, readonly [events: number, faults: readonly Fault[]]>> = {
  "phase data of hypoDD": [
    3,
    [
      [
        "a word too few",
        PHASES.replace("8\n", "\n"),
        "6: an event begins with 15 words, here are 14",
      ],
      [
        "a phase without a time",
        PHASES.replace("2.4  -1.0", "NaN  -1.0"),
        "5: there is no travel time, of the event that line 4 begins",
      ],
      [
        "a phase cut off",
        PHASES.replace("0.5000  S", "0.5000"),
        `3: a phase has 4 words, here are 3${OF_1}`,
      ],
      [
        "letters for a depth",
        PHASES.replace("9.4080", "9,4080"),
        '1: the depth is "9,4080", no number',
      ],
    ],
  ],
  "relocations of hypoDD": [
    2,
    [
      [
        "the file cut in its middle",
        RELOCATED.slice(0, -8),
        "2: a relocated event has 18, 23 or 24 words, here are 22",
      ],
    ],
  ],
  "the Global CMT project": [
    3,
    (
      [
        [
          "no such day",
          replaced(ANDES, 1, "06/09", "06/31"),
          "6: there is no time of the calendar in columns 6 to 26",
        ],
        [
          "letters for a latitude",
          replaced(ANDES, 1, "-20.45", "-2o.45"),
          '6: columns 28 to 33 hold "-2o.45", no number',
        ],
        [
          "a source of another kind",
          replaced(ANDES, 2, "CMT: 1", "CSF: 1"),
          `7: there is no kind of source in columns 63 to 68: CMT: 0, 1 or 2${OF_6}`,
        ],
        [
          "no centroid",
          replaced(ANDES, 3, "CENTROID:", "CENTRE:  "),
          `8: an event's third line begins with CENTROID:${OF_6}`,
        ],
        ["a line too few", without(ANDES, 4), `9: an event has 5 lines, this one has 4${OF_6}`],
        ["a line cut off", replaced(ANDES, 4, " 0.038", ""), `9: the line is cut off${OF_6}`],
        [
          "no moment",
          replaced(ANDES, 5, "5.035", "0.000"),
          `10: the scalar moment is not above zero${OF_6}`,
        ],
      ] as const
    ).map(([what, event, error]) => [what, RIDGE + event + RIDGE, error] as const),
  ],
  NonLinLoc: [
    2,
    (
      [
        [
          "kilometres",
          "Lat 60.000000",
          "Lat 5323.28",
          "7: the place is in kilometres, not in degrees",
        ],
        ["no such day", "2024 02 29  23", "2024 02 30  23", "7: there is no time of the origin"],
        ["letters for a residual", "0.0420", "0.o420", '15: Res is "0.o420", no number'],
        ["no separator", "0.7500 >", "0.7500", "15: a phase has > as its 15th or 16th word"],
        [
          "a phase cut off",
          "11.1195 107.42  40.0 120.0  9     0.0100    0.6352",
          "",
          "15: there is no distance of the station",
        ],
      ] as const
    ).map(([what, old, part, error]) => [
      what,
      VERSION_7.replace(old, part) + VERSION_6,
      error + OF_1,
    ]),
  ],
  "the Nordic formats": [
    2,
    (
      [
        [
          "no such day",
          replaced(OLD, 1, " 2024 0229", " 2024 0230"),
          "1: there is no time of the calendar in columns 2 to 20",
        ],
        [
          "letters for a depth",
          replaced(OLD, 1, " 12.0FF", " 1z.0FF"),
          '1: columns 39 to 43 hold "1z.0", no number',
        ],
        [
          "letters for a residual",
          replaced(OLD, 13, " 0.1010", " 0.1o10"),
          `13: columns 64 to 68 hold "0.1o", no number${OF_1}`,
        ],
        [
          "a minute that is none",
          replaced(OLD, 13, "C 2359 58", "C 23x9 58"),
          `13: there is no time of the phase${OF_1}`,
        ],
      ] as const
    ).map(([what, event, error]) => [what, event + NEW, error] as const),
  ],
};

test("a faulty event of a file in lines is told and left out whole, and the others are there", () => {
  for (const [format, [events, faults]] of Object.entries(FAULTS)) {
    for (const [what, file, error] of faults) {
      const { errors, rows, elements } = readFile(file);
      expect({ errors, event: elements?.event }, `${format}: ${what}`).toEqual({
        errors: [error],
        event: { read: events, kept: events - 1, dropped: 1 },
      });
      expect(rows).toHaveLength(events - 1);
    }
  }
});

test("a file in lines that is cut in its middle has no half event, and says so", () => {
  const [both, ndk] = [VERSION_6 + VERSION_7, RIDGE + ANDES];
  const cuts: readonly (readonly [string, number, string])[] = [
    ...[5, 75].map((cut) => [PHASES, PHASES.length - cut, ""] as const),
    ...[3, 100, ndk.length - RIDGE.length - 29].map((cut) => [ndk, ndk.length - cut, ""] as const),
    ...[3, 20, 500, VERSION_7.length - 60].map(
      (cut) => [both, both.length - cut, "the hypocentre is cut off before END_NLLOC"] as const,
    ),
    ...[90, 200, OLD.length - 50].map(
      (cut) =>
        [
          NEW + OLD,
          (NEW + OLD).length - cut,
          "12: the file ends without an empty line and may be cut off there",
        ] as const,
    ),
  ];
  for (const [file, length, error] of cuts) {
    const { rows, errors, elements, format } = readFile(file.slice(0, length));
    expect(errors, `${format} of ${length}`).toEqual([expect.stringContaining(error)]);
    expect(rows).toHaveLength(elements?.event?.kept ?? 0);
    if (format !== "hypodd") expect(rows).toHaveLength(1);
  }
  const open = readFile(NEW + without(OLD, 18));
  expect(open.rows).toHaveLength(2);
  expect(open.warnings).toEqual([
    "28: the file ends without an empty line and may be cut off there",
  ]);
});

test("an event in lines without a place or a time is told, and its parts are counted", () => {
  const nonlinloc = readFile(VERSION_6.replace(/^GEOGRAPHIC.*\n/m, ""));
  expect(nonlinloc.errors).toEqual(["2: the event has no origin"]);
  expect(nonlinloc.elements).toEqual({ event: { read: 1, kept: 0, dropped: 1 } });
  const nordic = readFile(NEW.replace("-60.109   5.402", "".padEnd(15)));
  expect(nordic.errors).toEqual(["1: the event has no origin"]);
  expect(nordic.elements).toMatchObject({
    event: { read: 1, kept: 0, dropped: 1 },
    pick: { read: 5, kept: 0, dropped: 5 },
  });
  expect(readFile(without(NEW, 3)).errors).toEqual([
    `2: the first line of a moment tensor has no second${OF_1}`,
  ]);
  expect(readFile(OLD.split("\n").slice(5).join("\n")).errors).toEqual([
    "1: the event has no line of type 1, so no time",
  ]);
});

test("ids that files in lines have twice are told", () => {
  expect(readFile(PHASES.replace("20202331", "7")).warnings).toEqual([
    "4: the id 7 was there before",
  ]);
  const ndk = readFile(ANDES + RIDGE + ANDES);
  expect(ndk.warnings).toEqual(["11: the id C202106092050A was there before"]);
  expect(ndk.rows).toHaveLength(3);
  const nordic = readFile(OLD + OLD);
  const ids = nordic.events.map(({ source_id }) => source_id);
  expect(ids).toEqual(["20240229235954", "20240229235954-2"]);
  expect(nordic.warnings).toEqual([
    "19: the id 20240229235954 was there before: this event's is 20240229235954-2",
  ]);
});

describe("hypoDD", () => {
  test("has stations whose codes are too long whole, beside the cut ones, and ids with letters", () => {
    const [, long] = readFile(PHASES.replace("UBR ", "UNTERBREIZBACH ")).bulletins;
    expect(long?.pick?.[0]?.waveformID).toEqual({
      networkCode: "",
      stationCode: "UNTERBRE",
      foreign: [{ ns: OWN, name: "station", text: "UNTERBREIZBACH" }],
    });
    const named = readFile(PHASES.replaceAll(/^(#.* )(\d+)$/gm, "$1nc$2"));
    expect(named).toMatchObject({ format: "hypodd", errors: [] });
    expect(named.bulletins.map(({ publicID }) => publicID)).toEqual(["nc20202331", "nc7", "nc8"]);
  });

  test("may have names of columns above its events, which are no event", () => {
    for (const [head, file] of [
      [
        "ID LAT LON DEPTH X Y Z EX EY EZ YR MO DY HR MI SC MAG NCCP NCCS NCTP NCTS RCC RCT CID",
        RELOCATED,
      ],
      ["# YR MO DY HR MI SC LAT LON DEP MAG EH EZ RMS ID", PHASES],
    ] as const) {
      const { elements, errors, bulletins } = readFile(`${head}\n${file}`);
      expect([errors, elements?.event?.dropped]).toEqual([[], 0]);
      expect(bulletins).toEqual(readFile(file).bulletins);
    }
  });

  test("has relocations that are other origins than those of the phases and of other relocations", () => {
    const ids = [PHASES, RELOCATED, RELOCATED.replace("9.250", "9.500"), RELOCATED].map(
      (text) => readFile(text).bulletins[0]?.origin?.[0]?.publicID,
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids[3]).toBe(ids[1]);
  });

  test("has the columns of .loc and of tomoDD too, and no other tables of numbers", () => {
    const numbers = "-1234.5 2000.0 -10.5 100.0 200.0 300.0 2024 03 01 00 00 60.000 3.5";
    for (const columns of ["1", "12 8 30 25 0.010 0.123"]) {
      const other = readFile(`12 60.0 7.5 9.25 ${numbers} ${columns}\n`);
      expect(other).toMatchObject({ format: "hypodd", errors: [] });
      expect(other.events).toMatchObject([{ source_id: "12", depth: 9.25, magnitude: 3.5 }]);
    }
    for (const table of [
      "170.1 -43.2 2012 5 3 4.5 10 12 30 15.5 1.2 2.0 0.1\n".repeat(3),
      "# lon lat depth mag\n170.1 -43.2 10 4.5\n171 -43 12 5\n",
      "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n".repeat(3),
      `id lat lon ${"x ".repeat(21)}\n1 2 3 ${"4 ".repeat(21)}\n`,
    ]) {
      expect(readFile(table).format, table).toBe("txt");
    }
  });
});

test("an event of the Global CMT project has Mw by its program, and is kept without a plane or an axis that cannot be read", () => {
  const other = readFile(ANDES.replace(/^V10/m, "X10"));
  expect(other.events).toMatchObject([{ magnitude: 5.7, magnitude_type: "Mw" }]);
  for (const [old, bad, planes, hasAxes] of [
    [" 49 30  106", " 49 3x  106", ["nodalPlane2"], true],
    ["8 216", "8 2l6", ["nodalPlane1", "nodalPlane2"], false],
  ] as const) {
    const { bulletins, warnings, errors } = readFile(replaced(ANDES, 5, old, bad) + RIDGE);
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^5: .*; the event is kept without it$/)]);
    const [mechanism] = bulletins[0]?.focalMechanism ?? [];
    expect(Object.keys(mechanism?.nodalPlanes ?? {})).toEqual(planes);
    expect(mechanism?.nodalPlanes?.nodalPlane2?.strike).toEqual({ value: 211 });
    expect(mechanism?.principalAxes !== undefined).toBe(hasAxes);
    expect(mechanism?.momentTensor?.[0]?.scalarMoment).toEqual({ value: 5.035e17 });
  }
});

describe("the Nordic formats", () => {
  test("have the errors of E whatever lines of type 1 stand between", () => {
    for (const agency of ["NAO", "   "]) {
      const lines = OLD.replace("29.2  NAO", `29.2  ${agency}`).split("\n");
      const [head = "", magnitude = "", errors = "", digits = "", other = "", ...rest] = lines;
      const moved = [head, magnitude, digits, other, errors, ...rest].join("\n");
      const [first, second] = readFile(moved).bulletins[0]?.origin ?? [];
      expect(first).toMatchObject({
        time: { uncertainty: 2.78 },
        depth: { uncertainty: 12_800 },
        quality: { azimuthalGap: 177 },
      });
      expect(second?.time).not.toHaveProperty("uncertainty");
    }
  });

  test("have a hundred events, each with its own time, and the same ids when they are read again", () => {
    const minutes = Array.from({ length: 100 }, (_, i) => i);
    const content = minutes.map(nordicEventAt).join("");
    const read = readFile(content);
    expect(read.errors).toEqual([]);
    expect(read.elements?.pick).toEqual({ read: 100, kept: 100, dropped: 0 });
    expect(read.bulletins.map(({ origin }) => origin?.[0]?.time.value)).toEqual(
      minutes.map((i) => timeInMinute(i, "01.5")),
    );
    expect(readFile(content).bulletins).toEqual(read.bulletins);
  });

  test("are lists of events where they have nothing but hypocentres", () => {
    const [first, , , , second] = OLD.split("\n");
    const list = [first, second, NEW.split("\n")[0]].join("\n");
    for (const end of ["\n", ""]) {
      const read = readFile(list + end);
      expect(read).toMatchObject({ format: "nordic", errors: [], warnings: [] });
      expect(read.rows).toHaveLength(3);
    }
    const cut = readFile(list.slice(0, -30));
    expect([cut.rows.length, cut.errors.length]).toEqual([2, 1]);
  });

  test("may be in Latin-1, and of Windows", () => {
    const read = readFile(Buffer.from(OLD.replaceAll("\n", "\r\n"), "latin1"));
    expect(read.errors).toEqual([]);
    expect(read.bulletins[0]?.foreign?.[0]?.text).toBe("felt at Ørland");
  });
});

test("columns of a line hold texts and numbers, moved by powers of ten without a second rounding", () => {
  const line = { text: " PDE   13.78 **** 5.5 a  12", number: 7 };
  expect(columnsOf(line, 1, 5)).toBe("PDE");
  expect(columnsOf(line, 23)).toBe("a");
  expect(columnsOf(line, 26, 99)).toBe("12");
  expect(columnsOf(line, 40, 50)).toBe("");
  expect(numberIn(line, 6, 12)).toBe(13.78);
  expect(numberIn(line, 6, 12, 3)).toBe(13_780);
  expect(numberIn(line, 6, 12, -7)).toBe(13.78e-7);
  expect(integerIn(line, 25, 27)).toBe(12);
  for (const [from, to] of [
    [24, 25],
    [14, 17],
    [60, 70],
  ] as const) {
    expect(numberIn(line, from, to)).toBeUndefined();
  }
  const faulty = new FaultyLine(7, 'columns 2 to 4 hold "PDE", no number');
  expect(() => numberIn(line, 2, 4)).toThrow(faulty);
  expect(() => integerIn(line, 19, 21)).toThrow("columns 19 to 21 hold 5.5, no whole number");
  expect(() => numberIn({ text: "1e999", number: 1 }, 1, 5)).toThrow("no number");
  expect(() => numberIn({ text: "1e-300", number: 1 }, 1, 6)).toThrow("no number");
});

describe("lines of text", () => {
  function linesOf(pieces: readonly string[]) {
    const lines: { text: string; number: number; isClosed: boolean }[] = [];
    const reader = createTextLines((line, isClosed) => lines.push({ ...line, isClosed }));
    for (const piece of pieces) reader.write(piece);
    reader.end();
    return lines;
  }

  test("lines of text end with LF, CRLF or CR, whatever the pieces in which they come", () => {
    const ends = fc.constantFrom("\n", "\r\n", "\r");
    const body = fc.array(fc.tuple(fc.stringMatching(/^[a ]{0,4}$/), ends), { maxLength: 12 });
    const rest = fc.stringMatching(/^[ab]{0,3}$/);
    fc.assert(
      fc.property(body, rest, fc.array(fc.nat(80)), (parts, last, cuts) => {
        // A CR and a LF of two empty lines would be one line end.
        const ended = parts.map(([text, end]) =>
          end === "\r" ? `${text}x${end}` : `y${text}${end}`,
        );
        const texts = [
          ...ended.map((text) => text.replace(/[\r\n]+$/, "")),
          ...(last ? [last] : []),
        ];
        expect(linesOf(cutAt(ended.join("") + last, cuts))).toEqual(
          texts.map((text, i) => ({ text, number: i + 1, isClosed: i < ended.length })),
        );
      }),
    );
  });

  test("a line of text without end is kept to a limit", () => {
    const [line] = linesOf(Array.from({ length: 4 }, () => "x".repeat(MAX_LINE_LENGTH / 2)));
    expect(line?.text).toHaveLength(MAX_LINE_LENGTH);
  });
});
