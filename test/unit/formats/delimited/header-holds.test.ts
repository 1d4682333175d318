import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../support/runs.ts";
import { readText } from "./read-delimited.ts";

/** In fixed columns: a value that is not there leaves its place blank. */
const FIXED = `Date       Time          Err   RMS Latitude Longitude   Depth  Mag  Note
2015/06/07 08:09:10.11  0.50  1.10  41.2500   23.7500    12.4  3.1  7
`;

describe("a table split at blanks", () => {
  test("a table split at blanks whose rows are shifted by empty columns is not read at all", () => {
    // Two more codes make up for the two numbers that are missing.
    const shifted = `${FIXED}2015/06/08 08:09:10.11              41.2500   23.7500    12.4  3.1  7 8 9\n`;
    const { rows, errors } = readText(shifted);
    expect(rows).toHaveLength(1);
    expect(errors).toEqual([
      '3: The rows do not keep to the header, whose blanks do not divide them: "41.2500" stands under Latitude, but is counted as Err. Divide the columns by a delimiter',
    ]);
    expect(readText(FIXED)).toMatchObject({
      errors: [],
      rows: [{ Latitude: 41.25, Longitude: 23.75, Depth: 12.4, Mag: 3.1 }],
    });
  });

  test.each([
    ["lat lon depth mag place", "1.5 2.5 3.5 North Sea", "mag", "North"],
    ["lat lon depth mag place", "Fiji 1.5 2.5 3.5 4.5", "lat", "Fiji"],
  ])(
    "a table of %s with the row %s is not read at all: letters are no number",
    (head, row, name, word) => {
      const text = `time ${head}\n2020-01-01T00:00:00Z 1 2 3 4 Suva\n2020-01-02T00:00:00Z ${row}\n`;
      expect(readText(text).errors).toEqual([
        `3: The rows do not keep to the header, whose blanks do not divide them: "${word}" is counted as ${name}. Divide the columns by a delimiter`,
      ]);
    },
  );

  test.each([
    "time lat lon depth mag\n2020-01-01T00:00:00Z  1.5   2.5    NaN    ?\n",
    "time                 lat lon   depth mag\n2020-01-01T00:00:00Z 1.5 2.5   10.0f 4.5ML\n",
    "            time      lat      lon  depth  mag\n0 2020-01-01 03:04:05  1.5  2.5  3.5  4.5\n",
    "lon\t  lat  \ttime\tmag\n1.5\t\t2020-01-01T00:00:00Z 4.5\n",
    "Lat          Lon          Depth        Mag          time\n       12.34        56.78         10.0          4.5  2020-01-01\n",
  ])("a table split at blanks may be written in any width: %j", (text) => {
    expect(readText(text).errors.filter((error) => error.includes("do not keep"))).toEqual([]);
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
              const width = (widths[i] ?? 0) + Math.max(text.length, (row[i] ?? "").length);
              return left ? text.padEnd(width) : text.padStart(width);
            })
            .join("");
        const read = readText(`${line(names, isHeadLeft)}\n${line(row, isLeft)}\n`);
        expect([read.errors, read.rows.map(({ lat }) => lat)]).toEqual([
          [],
          [(values[0] ?? 0) / 100],
        ]);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe("a header of unknown names", () => {
  const NAMES = "Ref,When,A,B,C,D,E,F,G,H,I,J,K";
  const ROW =
    "20200102030405000,2020-01-02T03:04:05.000000Z,-17.5,64.5,12.5,3.5,3.5,1,2,3,0.5,0.5,0.5";

  test.each([
    [",", ""],
    ["|", ""],
    [";", ""],
    ["\t", ""],
    [",", "# "],
    ["|", "#"],
  ])(
    "a header of unknown names, divided by %j after %j, stays the header whatever the rows look like",
    (delimiter, marks) => {
      const text = `${marks}${NAMES}\n${ROW}\n`.replaceAll(",", delimiter);
      const { headers, rows, warnings } = readText(text);
      expect(headers).toEqual(NAMES.split(","));
      expect(rows).toMatchObject([{ A: -17.5, D: 3.5, magnitude: null }]);
      expect(warnings.join()).toContain("No column is recognised as time or latitude or longitude");
      expect(warnings.join()).not.toContain("no header");
    },
  );

  test("a header of unknown names is none where its width is another than the rows'", () => {
    const text = `Catalogue of events, made by hand\n${ROW}\n`;
    expect(readText(text).rows).toMatchObject([{ Latitude: -17.5, Magnitude: 0.5 }]);
  });
});
