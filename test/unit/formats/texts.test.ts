import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QUAKEML_EVENT_TYPES } from "#contracts/seismic-event/attributes.ts";
import { createFileDecoder, detectFormat, extensionOf } from "#infra/formats/files/file-reader.ts";
import { decimalNumber, mapEventType, shiftDecimal } from "#infra/formats/written-values.ts";
import { runs } from "../../support/runs.ts";

describe("the text of a file", () => {
  const TEXT = "time,region\n2016-11-13,Kaikōura 🌏\n";
  const anyCuts = fc.array(fc.nat(200), { maxLength: 4 });

  function decode(bytes: Uint8Array, cuts: readonly number[] = []) {
    const decoder = createFileDecoder(bytes.subarray(0, 64));
    const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
    ends.sort((a, b) => a - b);
    const parts = ends.map((end, i) => decoder.write(bytes.subarray(ends[i - 1] ?? 0, end)));
    parts.push(decoder.end());
    const warnings = parts.flatMap(({ warning }) => (warning === null ? [] : [warning]));
    return { text: parts.map(({ text }) => text).join(""), warnings };
  }

  test("the text of a file is read as it was written, however it is encoded and cut", () => {
    const wide = Buffer.from(TEXT, "utf16le");
    const marked = (mark: readonly number[], text: Buffer) =>
      Buffer.concat([Buffer.from(mark), text]);
    const files = {
      "UTF-8": Buffer.from(TEXT),
      "UTF-8 with a mark": marked([0xef, 0xbb, 0xbf], Buffer.from(TEXT)),
      "UTF-16 LE": wide,
      "UTF-16 LE with a mark": marked([0xff, 0xfe], wide),
      "UTF-16 BE": Buffer.from(wide).swap16(),
      "UTF-16 BE with a mark": marked([0xfe, 0xff], Buffer.from(wide).swap16()),
    };
    for (const [encoding, bytes] of Object.entries(files)) {
      fc.assert(
        fc.property(anyCuts, (cuts) => {
          expect(decode(bytes, cuts), encoding).toEqual({ text: TEXT, warnings: [] });
        }),
      );
    }
    const anyText = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(anyText, anyCuts, (text, cuts) => {
        const file = `time,${text}`;
        expect(decode(Buffer.from(file), cuts)).toEqual({ text: file, warnings: [] });
      }),
    );
  });

  test("the text of a file that is no UTF-8 is Windows-1252, with a warning, however it is cut", () => {
    const bytes = Buffer.from("region\nMálaga – Sierra Nevada\nCórdoba\n", "latin1");
    bytes[bytes.indexOf("\u0013")] = 0x96;
    fc.assert(
      fc.property(anyCuts, (cuts) => {
        const { text, warnings } = decode(bytes, cuts);
        expect(text).toBe("region\nMálaga – Sierra Nevada\nCórdoba\n");
        expect(warnings).toHaveLength(1);
      }),
    );
  });

  test("the text of a file in UTF-8 with one damaged byte keeps its other characters", () => {
    const bytes = Buffer.from("Kaikōura, Whakatāne, Tūrangi, Taupō, Ōhope!");
    bytes[bytes.length - 1] = 0xff;
    expect(decode(bytes)).toEqual({
      text: "Kaikōura, Whakatāne, Tūrangi, Taupō, Ōhope\uFFFD",
      warnings: ["bytes that are no UTF-8 are shown as \uFFFD"],
    });
  });

  test("the text of a file of XML is read in the encoding that it declares, where there is one", () => {
    for (const [encoding, bytes] of [
      ["ISO-8859-1", "latin1"],
      ["x-none", "utf8"],
      ["UTF-16", "utf8"],
    ] as const) {
      const xml = `<?xml version="1.0" encoding="${encoding}"?><text>Málaga</text>`;
      expect(decode(Buffer.from(xml, bytes))).toEqual({ text: xml, warnings: [] });
    }
  });

  test("the text of a file is found in any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), anyCuts, (bytes, cuts) => {
        expect(typeof decode(bytes, cuts).text).toBe("string");
      }),
    );
  });
});

describe("the format of a file", () => {
  test("the format of a file is told by how it begins", () => {
    for (const [family, ...samples] of [
      ["delimited", "time,latitude\n", "#EventID|Time\n", "170.1\t-43.2\t2012.5\n", "a(b), c(d)\n"],
      ["json", '\n [{"time":1}]', '{"type":"FeatureCollection"}', '\u001e{"type":"Feature"}'],
      ["json", ' eqfeed_callback({"type":', "jQuery12.cb ( ["],
      ["quakeml", '<?xml version="1.0"?>\n<!-- made by -->\n<q:quakeml xmlns:q="x">', "<quakeml>"],
      ["quakeml", "<bed:eventParameters>", '<!DOCTYPE quakeml [<!ENTITY a "b">]><quakeml>'],
      ["quakeml", `<?xml version="1.0"?><!-- ${"long ".repeat(100)}`],
      ["quakeml", '<?xml version="1.0"?><q:quak'],
      ["scml", '<?xml version="1.0"?>\n<seiscomp version="0.13">', "<sc:seiscomp xmlns:sc='x'>"],
    ]) {
      for (const text of samples) expect(detectFormat(text), text).toEqual({ family });
    }
    for (const [sample, reason] of [
      ["PK\u0003\u0004\u0014\0\0\0", "the file is not text"],
      ['{"a":"\0"}', "the file is not text"],
      ["%PDF-1.4\n1 0 obj", "the file is a PDF document"],
      ["{\\rtf1\\ansi Earthquakes", "the file is an RTF document"],
      ["%!PS-Adobe-3.0", "the file is a PostScript document"],
      ["<kml><Document/></kml>", "the XML is neither QuakeML nor SCML"],
      ["<!doctype html><html>", "the XML is neither QuakeML nor SCML"],
    ] as const) {
      expect(detectFormat(sample), sample).toEqual({ family: null, reason });
    }
  });

  test("the format of a file is told behind ten thousand comments, closed or not", () => {
    for (const comment of ["<!---->", "<!----> ", "<!--", "<?a?>", "<!a>"]) {
      expect(detectFormat(comment.repeat(10_000)).family, comment).toBe("quakeml");
    }
  });

  test("the extension of a file is that of its last name", () => {
    for (const [name, extension] of [
      ["events.CSV", "csv"],
      ["a.tar.gz", "gz"],
      [".csv", "csv"],
      ...[
        "events",
        "../../etc/passwd",
        "dir.csv/events",
        "C:\\data.xml\\events",
        "",
        "events.",
      ].map((one) => [one, ""] as const),
    ] as const) {
      expect(extensionOf(name), name).toBe(extension);
    }
  });
});

test("event types of other lists and times are those of QuakeML, in any case, or none", () => {
  for (const type of QUAKEML_EVENT_TYPES) {
    expect(mapEventType(type)).toBe(type);
    expect(mapEventType(` ${type.toUpperCase().replaceAll(" ", "_")} `)).toBe(type);
  }
  const others: Readonly<Record<string, readonly string[]>> = {
    "quarry blast": ["quarry"],
    "nuclear explosion": ["nuke", "kn", "sn"],
    "mining explosion": ["shot", "km", "sm"],
    landslide: ["rockfall", "LS"],
    "rock burst": ["rockburst", "sr"],
    "sonic boom": ["sonicboom"],
    "induced or triggered event": ["induced earthquake", "ki"],
    "other event": [
      ...["not locatable", "duplicate", "outside of network interest", "other"],
      ...["volcanic tremor", "volcanic_long-period"],
    ],
    earthquake: ["eq", "ke", "se"],
    "chemical explosion": ["kh", "sh"],
    "experimental explosion": ["kx", "sx"],
  };
  for (const [type, names] of Object.entries(others)) {
    for (const name of names) expect(mapEventType(name), name).toBe(type);
  }
  for (const name of ["uk", "unknown", "", "   ", "earthquakes", "constructor", "__proto__"]) {
    expect(mapEventType(name), name).toBeNull();
  }
  const types: readonly (string | null)[] = QUAKEML_EVENT_TYPES;
  for (const name of ["lahar", "meteor impact", "calving", "blast", "eruption"]) {
    expect(types, name).toContain(mapEventType(name));
  }
});

const NO_NUMBERS = ["", "-", ".", "1.2.3", "0x10", " 1", "1 ", "--1", "1e", "NaN"];

describe("numbers of decimal text", () => {
  const numberText = fc.oneof(
    fc.stringMatching(/^[+-]?\d{0,18}(\.\d{0,18})?([eE][+-]?\d{1,3})?$/),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.string({ unit: fc.constantFrom(..."0123456789.-+eE xX"), maxLength: 8 }),
  );

  test("numbers of decimal text are those that the shifted text stands for, to the last bit", () => {
    for (const [text, places, value] of [
      ["41547", -3, 41.547],
      ["5116.2109375", -3, 5.1162109375],
      ["-0.25", 0, -0.25],
      ["-0", 0, -0],
      [".5", 0, 0.5],
      ["5.", 0, 5],
      ["9007199254740993", 0, 9007199254740992],
    ] as const) {
      expect(decimalNumber(text, places), text).toBe(value);
    }
    for (const text of [...NO_NUMBERS, "-.", "Infinity"]) expect(decimalNumber(text, 0)).toBeNaN();
    fc.assert(
      fc.property(numberText, fc.integer({ min: -25, max: 0 }), (text, places) => {
        const shifted = shiftDecimal(text, places);
        const expected = shifted === null ? Number.NaN : Number(shifted);
        expect(decimalNumber(text, places)).toBe(expected);
      }),
      { numRuns: runs(5000) },
    );
  });
});

describe("a shift of the decimal point", () => {
  const decimalText = fc
    .tuple(
      fc.constantFrom("", "-", "+"),
      fc.stringMatching(/^\d{0,25}$/),
      fc.option(fc.stringMatching(/^\d{0,25}$/)),
      fc.option(fc.integer({ min: -400, max: 400 })),
    )
    .filter(([, whole, fraction]) => whole !== "" || (fraction ?? "") !== "")
    .map(
      ([sign, whole, fraction, exponent]) =>
        `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${exponent === null ? "" : `e${exponent}`}`,
    );

  /** The value of decimal text as a fraction of integers: numerator · 10^exponent without zeros behind. */
  function exactValue(text: string): { digits: bigint; exponent: number } {
    const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
    const [whole = "", fraction = ""] = mantissa.split(".");
    let digits = BigInt(`${whole.replace(/[+-]/, "")}${fraction}`);
    let power = Number(exponent) - fraction.length;
    if (digits === 0n) return { digits, exponent: 0 };
    for (; digits % 10n === 0n; power++) digits /= 10n;
    return { digits: whole.startsWith("-") ? -digits : digits, exponent: power };
  }

  test("a shift of the decimal point is one of the text", () => {
    for (const [text, places, expected] of [
      ["5116.2109375", -3, "5.1162109375"],
      ["5.1162109375", 3, "5116.2109375"],
      ["29.0", -3, "0.0290"],
      ["10", 3, "10000"],
      ["0.005", 3, "5"],
      ["-2.59", 3, "-2590"],
      [".5", 3, "500"],
      ["5.", -1, "0.5"],
      ["0", -3, "0.000"],
      ["1e-07", 3, "1e-4"],
      ["1E+20", -3, "1e17"],
      ["-1.5e3", 3, "-1.5e6"],
      ["0".repeat(1_000_000), 3, "0"],
      [`1e${"9".repeat(1000)}`, 3, `1e${"9".repeat(1000)}`],
    ] as const) {
      expect(shiftDecimal(text, places)).toBe(expected);
    }
    for (const text of [...NO_NUMBERS, "abc", "1,5", "INF", `${"1".repeat(1_000_000)}x`]) {
      expect(shiftDecimal(text, 3)).toBeNull();
    }
  });

  test("a shift of the decimal point keeps every digit, and is undone by its opposite", () => {
    fc.assert(
      fc.property(decimalText, fc.integer({ min: -30, max: 30 }), (text, places) => {
        const before = exactValue(text);
        const after = exactValue(shiftDecimal(text, places) ?? "");
        expect(after.digits).toBe(before.digits);
        if (before.digits !== 0n) expect(after.exponent).toBe(before.exponent + places);
      }),
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const there = shiftDecimal(String(number), 3) ?? "";
        expect(Number(shiftDecimal(there, -3))).toBe(number + 0);
      }),
    );
  });
});
