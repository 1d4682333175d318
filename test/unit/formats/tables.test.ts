import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { createRecordReader, type Delimiter } from "#infra/formats/delimited/record-reader.ts";
import { cutAt, readTable } from "../../support/formats/readers.ts";
import { REAL_DATA_DIR } from "../../support/real-data.ts";
import { runs } from "../../support/runs.ts";

// What agencies' tables are read as stands beside them in test/fixtures/formats: see golden.test.ts.

describe("a cell of a table", () => {
  /** What a cell of a column is read as, and what is told of it. */
  function readCell(column: string, text: string) {
    const [name, depth] = column === "depth" ? ["", ""] : ["depth;", "1;"];
    const head = `time;latitude;longitude;mag;${name}${column}\n`;
    const read = readTable(`${head}2011-03-11;38;142;1;${depth}${text}\n`);
    const [row = {}] = read.rows;
    const { warnings, errors } = read;
    return { value: row[column], extra: row["extra"], warnings, errors };
  }

  test("a cell of a table is read by what its column is", () => {
    const cells: readonly (readonly [column: string, text: string, value: JsonValue])[] = [
      ["magnitude", "5.0", 5],
      ["magnitude", " 5.10 ", 5.1],
      ["magnitude", "1e-07", 1e-7],
      ["magnitude", "+.5", 0.5],
      ["depth", "-2.5", -2.5],
      ["nst", "86.0", 86],
      ...["", "NaN", "null", "N/A", "-", "--"].map((text) => ["gap", text, null] as const),
      ["gap", '" 12 "', 12],
      ...["2801727", "007", "1e5"].map((text) => ["id", text, text] as const),
      ...["NA", "1906", "=1+1"].map((text) => ["region", text, text] as const),
      ["region", '"  two  blanks "', "  two  blanks "],
      ["agency_id", "42", "42"],
      ["author", "  gns  ", "gns"],
      ...(
        [
          ["12", 12],
          ["-0.5", -0.5],
          ["5.0", 5],
          ["0.40", 0.4],
          [".5", 0.5],
          ["+1.50", 1.5],
          ["1e-05", 1e-5],
          ["2.50E+02", 250],
          ["-0.0", 0],
          ["nan", null],
          ["None", null],
        ] as const
      ).map(([text, value]) => ["unknown", text, value] as const),
      ...["007", "1e5", "00", "9007199254740993", "-Infinity", "12345678901234567890", "-"].map(
        (text) => ["unknown", text, text] as const,
      ),
      ["unknown", "'=1+1", "'=1+1"],
      ["region", "'=1+1", "=1+1"],
      ["region", "''=1+1", "'=1+1"],
      ["region", "'''@x", "''@x"],
      ["region", "'-5", "-5"],
      ["region", "'quoted'", "'quoted'"],
      ["event_type", "Quarry_Blast", "Quarry_Blast"],
      ["event_type", "", null],
      ["event_type", '"  "', null],
      ["evaluation_status", "REVIEWED", "REVIEWED"],
      ["source_events", '"[{""a"":[1,null]}]"', [{ a: [1, null] }]],
      ["focal_mechanisms", '"[{""nodalPlanes"":{}}]"', [{ nodalPlanes: {} }]],
      ["sec", "60", 60],
    ];
    for (const [column, text, value] of cells) {
      const read = { value, extra: undefined, warnings: [], errors: [] };
      expect(readCell(column, text), `${column} ${text}`).toEqual(read);
    }
    expect(readCell("extra", '"{""net"":""us""}"').value).toEqual({ net: "us" });
    expect(readCell("extra", "words").value).toBe("words");
  });

  test("a cell of a table that cannot be is given back as it is, with a warning", () => {
    const deep = "[".repeat(40) + "]".repeat(40);
    const unread = "holds JSON that cannot be read or is nested deeper than 32";
    for (const [column, text, value, warning] of [
      ["magnitude", "strong", "strong", '"strong" is not a number'],
      ["magnitude", "0x1F", "0x1F", '"0x1F" is not a number'],
      ["magnitude", "1e999", "1e999", '"1e999" is not a number'],
      ["magnitude", "11", 11, "11 is not between -3 and 10"],
      ["depth", "1001", 1001, "1001 is not between -10 and 1000 km"],
      ["gap", "-5", -5, "-5 is not between 0 and 360 deg"],
      ["rms", "-0.1", -0.1, "-0.1 is less than 0 s"],
      ["agency_id", "x".repeat(65), "x".repeat(65), "is longer than 64 characters"],
      ["timestamp", "yesterday", "yesterday", '"yesterday" is not a time that is understood'],
      ["extra", '"{""a"":"', '{"a":', unread],
      ["extra", deep, deep, unread],
    ]) {
      const warnings = [`2: ${column}: ${warning}`];
      const read = readCell(String(column), String(text));
      expect(read, `${column} ${text}`).toMatchObject({ value, warnings, errors: [] });
    }
  });

  test("a cell of a table that stands for something else is kept under extra", () => {
    for (const [column, text, original, value] of [
      ["magnitude", "-9", -9, null],
      ["magnitude", "-9.99", -9.99, null],
      ["magnitude", "-12", -12, null],
      ["depth", "-999", -999, null],
      ["depth", "-999.9", -999.9, null],
      ["gap", "-1", -1, null],
      ["nst", "-9", -9, null],
      ["type", "nuke", "nuke", "nuclear explosion"],
      ["type", "BDC", "BDC", null],
      ["depth_type", "assigned", "assigned", null],
    ] as const) {
      const { warnings, ...read } = readCell(column, text);
      const kept = { value, extra: { [column]: original }, errors: [] };
      expect(read, `${column} ${text}`).toEqual(kept);
      expect(warnings).toEqual([expect.stringContaining(`2: ${column}: `)]);
    }
  });
});

describe("a table split at blanks", () => {
  test("a table split at blanks whose rows have letters for numbers is not read at all", () => {
    for (const [head, row, name, word] of [
      ["lat lon depth mag place", "1.5 2.5 3.5 North Sea", "mag", "North"],
      ["lat lon depth mag place", "Fiji 1.5 2.5 3.5 4.5", "lat", "Fiji"],
    ] as const) {
      const text = `time ${head}\n2020-01-01T00:00:00Z 1 2 3 4 Suva\n2020-01-02T00:00:00Z ${row}\n`;
      expect(readTable(text).errors).toEqual([
        `3: The rows do not keep to the header, whose blanks do not divide them: "${word}" is counted as ${name}. Divide the columns by a delimiter`,
      ]);
    }
  });

  test("a table split at blanks may be written in any width", () => {
    for (const text of [
      "time lat lon depth mag\n2020-01-01T00:00:00Z  1.5   2.5    NaN    ?\n",
      "time                 lat lon   depth mag\n2020-01-01T00:00:00Z 1.5 2.5   10.0f 4.5ML\n",
      "            time      lat      lon  depth  mag\n0 2020-01-01 03:04:05  1.5  2.5  3.5  4.5\n",
      "lon\t  lat  \ttime\tmag\n1.5\t\t2020-01-01T00:00:00Z 4.5\n",
      "Lat          Lon          Depth        Mag          time\n       12.34        56.78         10.0          4.5  2020-01-01\n",
    ]) {
      const { errors } = readTable(text);
      expect(
        errors.filter((error) => error.includes("do not keep")),
        text,
      ).toEqual([]);
    }
  });

  test("a table in fixed columns is read whatever their widths are", () => {
    const names = ["time", "lat", "lon", "depth", "mag", "rms"];
    const cells = fc.record({
      widths: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 6, maxLength: 6 }),
      isLeft: fc.boolean(),
      isHeadLeft: fc.boolean(),
      values: fc.array(fc.integer({ min: -8999, max: 8999 }), { minLength: 5, maxLength: 5 }),
    });
    fc.assert(
      fc.property(cells, ({ widths, isLeft, isHeadLeft, values }) => {
        const row = ["2020-01-01T00:00:00Z", ...values.map((value) => String(value / 100))];
        const line = (texts: readonly string[], left: boolean) =>
          texts
            .map((text, i) => {
              const longest = Math.max(names[i]?.length ?? 0, row[i]?.length ?? 0);
              const width = (widths[i] ?? 0) + longest;
              return left ? text.padEnd(width) : text.padStart(width);
            })
            .join("");
        const read = readTable(`${line(names, isHeadLeft)}\n${line(row, isLeft)}\n`);
        const lats = read.rows.map(({ lat }) => lat);
        expect([read.errors, lats]).toEqual([[], [(values[0] ?? 0) / 100]]);
      }),
      { numRuns: runs(500, 1 / 10) },
    );
  });
});

test("a header of unknown names stays the header whatever the rows look like, but of another width", () => {
  const names = "Ref,When,A,B,C,D,E,F,G,H,I,J,K";
  const row =
    "20200102030405000,2020-01-02T03:04:05.000000Z,-17.5,64.5,12.5,3.5,3.5,1,2,3,0.5,0.5,0.5";
  for (const [delimiter, marks] of [
    ...[",", "|", ";", "\t"].map((one) => [one, ""] as const),
    [",", "# "],
    ["|", "#"],
  ] as const) {
    const text = `${marks}${names}\n${row}\n`.replaceAll(",", delimiter);
    const { headers, rows, warnings } = readTable(text);
    expect(headers, text).toEqual(names.split(","));
    expect(rows).toMatchObject([{ A: -17.5, D: 3.5, magnitude: null }]);
    expect(warnings.join()).toContain("No column is recognised as time or latitude or longitude");
    expect(warnings.join()).not.toContain("no header");
  }
  const { rows } = readTable(`Catalogue of events, made by hand\n${row}\n`);
  expect(rows).toMatchObject([{ Latitude: -17.5, Magnitude: 0.5 }]);
});

test("a table may have a delimiter that is said rather than found", () => {
  const read = readTable("time;lat,lon\n2011-03-11;38,142\n", { delimiter: ";" });
  expect(read).toMatchObject({
    headers: ["time", "lat,lon"],
    rows: [{ time: "2011-03-11", "lat,lon": "38,142", magnitude: null }],
    errors: [],
  });
});

const HEADER = "time,lat,lon,place\n";
const ROW = "2011-03-11,38,142,x\n";
const MAX_ROW = 4_194_304;

/** Pieces as they come from the network. */
function* pieces(text: string, length = 64 * 1024): Generator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

describe("a hostile table", () => {
  const bytes = Array.from({ length: 5000 }, (_, i) => String.fromCharCode((i * 7919) % 251));

  test("a hostile table costs the rows that are faulty, and is refused where it is none", () => {
    const files: readonly (readonly [file: string, lines: number[], errors: string[]])[] = [
      [`PK\u0003\u0004${bytes.join("")}`, [], ["1: This is no text but binary data"]],
      ["", [], []],
      [`${HEADER}2011-03-11,38,142,a\0b\n`, [2], []],
      ["\t\t\n;;;\n", [], []],
      [
        `${HEADER}${ROW}${"9".repeat(MAX_ROW + 200_000)}\n${ROW}`,
        [2, 4],
        [`3: The row is longer than ${MAX_ROW} bytes`],
      ],
      ["a,".repeat(MAX_ROW), [], [`1: The header is longer than ${MAX_ROW} bytes`]],
      [
        `${"a,".repeat(20_000)}a\n${"1,".repeat(20_000)}1\n`,
        [],
        ["1: the header has 20001 columns; more than 1000 are not read"],
      ],
      [
        `${HEADER}${ROW}${"1,".repeat(1_000_000)}1\n${ROW}`,
        [2, 4],
        ["3: The row has 1000001 fields where there are 4 columns"],
      ],
      [`${HEADER}2011-03-11,38,142,${'"'.repeat(20_000)}\n${ROW}`, [2, 3], []],
    ];
    for (const [file, lines, errors] of files) {
      expect(readTable(pieces(file)), file.slice(0, 60)).toMatchObject({ lines, errors });
    }
    const [quotes] = readTable(`${HEADER}2011-03-11,38,142,${'"'.repeat(20_000)}\n`).rows;
    expect(quotes?.["place"]).toBe('"'.repeat(9999));
  });

  test("a hostile table of quotes alone is read to its end", () => {
    for (const line of ['"', '""', '"""', '"a,""', ',"']) {
      const read = readTable(pieces(`${HEADER}${`${line}\n`.repeat(600)}`));
      expect(read.rows).toEqual([]);
      expect(read.errors.length + read.warnings.length, line).toBeGreaterThan(200);
    }
  });

  test("a hostile table loses one row to a quote that is not closed for megabytes", () => {
    const row = `2011-03-11,38,142,${"x".repeat(5000)}\n`;
    const read = readTable(pieces(`${HEADER}2011-03-11,38,142,"open\n${row.repeat(1000)}`));
    expect(read.errors).toEqual([`2: The row is longer than ${MAX_ROW} bytes`]);
    expect(read.rows).toHaveLength(1000);
  });

  test("a hostile table is read alike when it comes character by character", () => {
    const text = `${HEADER}2011-03-11,38,142,"${'""\n'.repeat(500)}"\n${ROW}`;
    expect(readTable(pieces(text, 1))).toEqual(readTable(text));
  });
});

describe("records of a table", () => {
  type Record = readonly [line: number, fields: readonly string[] | null];

  function readRecords(texts: readonly string[], delimiter: Delimiter): Record[] {
    const records: Record[] = [];
    const reader = createRecordReader({ delimiter, quoting: true }, 1, {
      record: (fields, line) => records.push([line, fields]),
      fault: (line) => records.push([line, null]),
    });
    for (const text of texts) reader.write(text);
    reader.end();
    return records;
  }

  /** A field as some program writes it: plain, padded or in quotes. */
  const field = fc
    .tuple(
      fc.array(fc.constantFrom("é", "日", "\r\n", ...'a7 ",;|\t\n#'), { maxLength: 6 }),
      fc.constantFrom("", " ", "  "),
    )
    .map(([marks, padding]) => [marks.join(""), padding] as const)
    .map(([text, padding]) =>
      /["\r\n,;|\t#]/.test(text)
        ? { meant: text, written: `${padding}"${text.replaceAll('"', '""')}"${padding}` }
        : { meant: text.trim(), written: `${padding}${text}${padding}` },
    );
  /** Rows that cost themselves alone. */
  const faulty = fc.constantFrom('stray " quote', '"closed" before text', '""a', '"a" "b"');
  const row = fc.oneof(
    { weight: 4, arbitrary: fc.array(field, { minLength: 2, maxLength: 5 }) },
    { weight: 1, arbitrary: faulty },
  );
  /** What stands between two rows. */
  const gap = fc.constantFrom(
    ...["\n", "\r\n", "\r", "\n\n", "\r\n  \r\n", "\r\r", '\n# a "comment\n', "\r\n#\r\n\r\n"],
  );
  const delimiters = fc.constantFrom<Delimiter>(",", "\t", ";", "|");
  const lineAt = (text: string) => text.split(/\r\n|\r|\n/).length;

  test("records of a table have fields and lines between faulty ones, wherever the text is cut", () => {
    const rows = fc.array(fc.tuple(row, gap), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(rows, delimiters, fc.nat(), (all, delimiter, cut) => {
        let text = "";
        const expected: Record[] = [];
        for (const [fields, end] of all) {
          // A quote within a field is a character where tabs delimit.
          if (delimiter === "\t" && typeof fields === "string") continue;
          const isFaulty = typeof fields === "string";
          expected.push([lineAt(text), isFaulty ? null : ["x", ...fields.map((f) => f.meant)]]);
          // A first field keeps blank lines and comments apart from rows.
          const cells = isFaulty ? [fields] : fields.map((f) => f.written);
          text += ["x", ...cells].join(delimiter) + end;
        }
        expect(readRecords(cutAt(text, [cut]), delimiter)).toEqual(expected);
      }),
      { numRuns: runs(2000, 1 / 20) },
    );
  });

  test("records of a table have quotes as characters at tabs, and empty texts in quotes at blanks", () => {
    const tabs = '["-2150 <= Year"]\t"a ""b"""\nRangi\t5" pipe';
    expect(readRecords([tabs], "\t")).toEqual([
      [1, ['["-2150 <= Year"]', 'a "b"']],
      [2, ["Rangi", '5" pipe']],
    ]);
    expect(readRecords(['a  "" \t"b  c"\n \t \n"x" y'], " ")).toEqual([
      [1, ["a", "", "b  c"]],
      [3, ["x", "y"]],
    ]);
  });
});

/** Rows and warnings; rows are counted independently as well, as lines or by csv-parse. */
const FILES: readonly (readonly [file: string, rows: number, warnings: number])[] = [
  ["csv/csep_sample.csv", 829, 0],
  ["csv/geonet_quakesearch_1980-2022.csv", 18_650, 1249],
  ["csv/kawerau.csv", 1058, 8],
  ["csv/merge3_comcat.csv", 5, 1],
  ["csv/merge3_gcmt.csv", 4, 0],
  ["csv/merge3_isc.csv", 5, 4],
  ["text/catalog.csv", 3, 0],
  ["text/incomplete.csv", 2, 0],
  ["text/events.txt", 2, 0],
  ["text/seiscomp_event-1.txt", 5, 0],
  ["text/zmap_events.txt", 2, 1],
];

describe.skipIf(!existsSync(REAL_DATA_DIR))("real tables (skipped without REAL_DATA_DIR)", () => {
  const textOf = (file: string) => readFileSync(join(REAL_DATA_DIR, file), "utf8");

  test("real tables have as many rows as others find", () => {
    for (const [file, count, warnings] of FILES) {
      const text = textOf(file);
      const extension = file.split(".").at(-1) ?? "";
      const found =
        extension === "csv"
          ? parse(text, { skip_empty_lines: true })
          : text.split("\n").filter((line) => line.trim() !== "");
      const read = readTable(text, { extension });
      expect(read.rows, file).toHaveLength(found.length - (file.includes("zmap") ? 0 : 1));
      expect([read.rows.length, read.errors, read.warnings.length]).toEqual([count, [], warnings]);
    }
  });

  test("real tables of GeoNet have zeros of the magnitude's uncertainty as unknown, and kept", () => {
    const text = textOf("csv/geonet_quakesearch_1980-2022.csv");
    const records = parse(text, { columns: true }) as { magnitudeuncertainty: string }[];
    const zeros = records.map((record) => Number(record.magnitudeuncertainty || "1") === 0);
    const read = readTable(text).rows.map(({ magnitudeuncertainty, extra }) => {
      const kept = (extra as { magnitudeuncertainty?: unknown } | undefined)?.magnitudeuncertainty;
      return magnitudeuncertainty === null && kept === 0;
    });
    expect(read).toEqual(zeros);
    expect(zeros.filter(Boolean)).toHaveLength(9205);
  });
});
