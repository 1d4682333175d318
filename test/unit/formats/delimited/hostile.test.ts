import { describe, expect, it } from "vitest";
import { readPieces, readText } from "./read-delimited.ts";

const HEADER = "time,lat,lon,place\n";
const ROW = "2011-03-11,38,142,x\n";
const MEGABYTE = 1024 * 1024;

/** Pieces as they come from the network. */
function* pieces(text: string, length = 64 * 1024): Generator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

describe("the delimited reader on hostile text", () => {
  it("refuses the bytes of a zip file", () => {
    const bytes = Array.from({ length: 5000 }, (_, i) => String.fromCharCode((i * 7919) % 251));
    const read = readText(`PK\u0003\u0004${bytes.join("")}`);
    expect(read).toMatchObject({ rows: [], errors: ["1: This is no text but binary data"] });
  });

  it("refuses text that is no table, and a file of comments alone", () => {
    const prose = readText("Dear colleague\nplease find\nnothing attached\n");
    expect(prose.errors).toEqual([
      "1: This is no table: no delimiter divides its lines into columns",
    ]);
    expect(readText("# a\n# b\n").errors).toEqual(["1: There are only comments"]);
    expect(readText("")).toMatchObject({ rows: [], errors: [], warnings: [], headers: [] });
  });

  it("reads a header that is marked twice as a comment", () => {
    const read = readText("## time,lat,lon,mag\n2011-03-11,38,142,9\n");
    expect(read.rows).toEqual([{ time: "2011-03-11", lat: 38, lon: 142, mag: 9 }]);
  });

  it("passes over a line of 50 MB and reads the next, without keeping it", () => {
    const long = "9".repeat(50 * MEGABYTE);
    const expected = ["3: The row is longer than 4194304 bytes"];
    const text = `${HEADER}${ROW}${long}\n${ROW}`;
    for (const read of [readText(text), readPieces(pieces(text))]) {
      expect(read).toMatchObject({ errors: expected, lines: [2, 4] });
    }
  });

  it("refuses a first line of 50 MB", () => {
    const read = readPieces(pieces("a,".repeat(25 * MEGABYTE)));
    expect(read).toMatchObject({
      rows: [],
      errors: ["1: The header is longer than 4194304 bytes"],
    });
  });

  it("refuses a million columns", () => {
    const read = readPieces(pieces(`${"a,".repeat(1_000_000)}a\n${"1,".repeat(1_000_000)}1\n`));
    expect(read.errors).toEqual(["1: the header has 1000001 columns; more than 1000 are not read"]);
    expect(read.rows).toEqual([]);
  });

  it("refuses a row with a million fields", () => {
    const read = readPieces(pieces(`${HEADER}${"1,".repeat(1_000_000)}1\n${ROW}`));
    expect(read.errors).toEqual(["2: The row has 1000001 fields where there are 4 columns"]);
    expect(read.lines).toEqual([3]);
  });

  it("reads a million quotes in one line as the text they are", () => {
    const read = readPieces(pieces(`${HEADER}2011-03-11,38,142,${'"'.repeat(1_000_000)}\n${ROW}`));
    expect(read.errors).toEqual([]);
    expect(read.rows[0]?.["place"]).toBe('"'.repeat(499_999));
    expect(read.lines).toEqual([2, 3]);
  });

  it.each(['"', '""', '"""', '"a,""', ',"'])("reads 30,000 lines of %j to the end", (line) => {
    const read = readPieces(pieces(`${HEADER}${`${line}\n`.repeat(30_000)}`));
    expect(read.rows).toEqual([]);
    expect(read.errors.length + read.warnings.length).toBeGreaterThan(10_000);
  });

  it("loses one row to a quote that is not closed for megabytes", () => {
    const rows = ROW.repeat(300_000);
    const read = readPieces(pieces(`${HEADER}2011-03-11,38,142,"open\n${rows}`));
    expect(read.errors).toEqual(["2: The row is longer than 4194304 bytes"]);
    expect(read.rows).toHaveLength(300_000);
  });

  it("tells of a file cut off within a quoted field", () => {
    const read = readText(`${HEADER}${ROW}2011-03-12,39,143,"cut o`);
    expect(read).toMatchObject({
      lines: [2],
      errors: ["3: The row opens a quote that is never closed"],
    });
  });

  it("tells of a file cut off within a row", () => {
    expect(readText(`${HEADER}${ROW}2011-03-1`)).toMatchObject({
      lines: [2],
      errors: ["3: The row has 1 fields where there are 4 columns"],
    });
  });

  it("reads what a few NUL bytes stand in", () => {
    const read = readText(`${HEADER}2011-03-11,38,142,a\0b\n`);
    expect(read.rows).toMatchObject([{ place: "a\0b" }]);
  });

  it("finds nothing in rows of delimiters alone", () => {
    expect(readText(",,,,\n,,,,\n")).toMatchObject({ rows: [], errors: [] });
    expect(readText("\t\t\n;;;\n")).toMatchObject({ rows: [] });
  });

  it("reads a header without rows", () => {
    expect(readText(HEADER.trim())).toMatchObject({
      headers: ["time", "lat", "lon", "place"],
      rows: [],
      errors: [],
    });
  });

  it("gives no row a prototype, nor a column the name of one", () => {
    const read = readText(
      'time,lat,mag,__proto__,extra\n2011-03-11,38,9,"x","{""__proto__"":1}"\n',
    );
    expect(Object.keys(read.rows[0] ?? {})).toEqual(["time", "lat", "mag", "column_4", "extra"]);
    expect(read.rows[0]?.["column_4"]).toBe("x");
  });

  it("answers the same for text that comes character by character", () => {
    const text = `${HEADER}2011-03-11,38,142,"${'""\n'.repeat(2000)}"\n${ROW}`;
    expect(readPieces(pieces(text, 1))).toEqual(readText(text));
  });
});
