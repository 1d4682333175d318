import { describe, expect, it } from "vitest";
import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { readText } from "./read-delimited.ts";

/** What a cell of a column is read as, and what is told of it. */
function readCell(column: string, text: string) {
  const [name, depth] = column === "depth" ? ["", ""] : ["depth;", "1;"];
  const head = `time;latitude;longitude;mag;${name}${column}\n`;
  const read = readText(`${head}2011-03-11;38;142;1;${depth}${text}\n`);
  const [row = {}] = read.rows;
  return { value: row[column], extra: row["extra"], warnings: read.warnings, errors: read.errors };
}

describe("a cell of the delimited reader", () => {
  it.each<[column: string, text: string, value: JsonValue]>([
    ["magnitude", "5.0", 5],
    ["magnitude", " 5.10 ", 5.1],
    ["magnitude", "1e-07", 1e-7],
    ["magnitude", "+.5", 0.5],
    ["depth", "-2.5", -2.5],
    ["nst", "86.0", 86],
    ["gap", "", null],
    ["gap", "NaN", null],
    ["gap", "null", null],
    ["gap", "N/A", null],
    ["gap", "-", null],
    ["gap", "--", null],
    ["gap", '" 12 "', 12],
    ["id", "2801727", "2801727"],
    ["id", "007", "007"],
    ["id", "1e5", "1e5"],
    ["region", "NA", "NA"],
    ["region", "1906", "1906"],
    ["region", '"  two  blanks "', "  two  blanks "],
    ["agency_id", "42", "42"],
    ["author", "  gns  ", "gns"],
    ["unknown", "12", 12],
    ["unknown", "-0.5", -0.5],
    ["unknown", "007", "007"],
    ["unknown", "5.0", 5],
    ["unknown", "0.40", 0.4],
    ["unknown", ".5", 0.5],
    ["unknown", "+1.50", 1.5],
    ["unknown", "1e-05", 1e-5],
    ["unknown", "2.50E+02", 250],
    ["unknown", "1e5", "1e5"],
    ["unknown", "-0.0", 0],
    ["unknown", "00", "00"],
    ["unknown", "9007199254740993", "9007199254740993"],
    ["unknown", "-Infinity", "-Infinity"],
    ["unknown", "12345678901234567890", "12345678901234567890"],
    ["unknown", "nan", null],
    ["unknown", "None", null],
    ["unknown", "-", "-"],
    ["region", "'=1+1", "=1+1"],
    ["region", "''=1+1", "'=1+1"],
    ["region", "'-5", "-5"],
    ["region", "'quoted'", "'quoted'"],
    ["region", "=1+1", "=1+1"],
    ["unknown", "'=1+1", "'=1+1"],
    ["event_type", "Quarry_Blast", "Quarry_Blast"],
    ["event_type", "", null],
    ["event_type", '"  "', null],
    ["evaluation_status", "REVIEWED", "REVIEWED"],
    ["source_events", '"[{""a"":[1,null]}]"', [{ a: [1, null] }]],
    ["focal_mechanisms", '"[{""nodalPlanes"":{}}]"', [{ nodalPlanes: {} }]],
    ["sec", "60", 60],
  ])("of %s reads %j as %j without a warning", (column, text, value) => {
    expect(readCell(column, text)).toEqual({ value, extra: undefined, warnings: [], errors: [] });
  });

  it("keeps `extra` that is an object, and any other text of a column of that name", () => {
    expect(readCell("extra", '"{""net"":""us""}"').value).toEqual({ net: "us" });
    expect(readCell("extra", "words").value).toBe("words");
  });

  it.each<[column: string, text: string, value: JsonValue, warning: string]>([
    ["magnitude", "strong", "strong", '"strong" is not a number'],
    ["magnitude", "0x1F", "0x1F", '"0x1F" is not a number'],
    ["magnitude", "1e999", "1e999", '"1e999" is not a number'],
    ["magnitude", "11", 11, "11 is not between -3 and 10"],
    ["depth", "1001", 1001, "1001 is not between -10 and 1000 km"],
    ["gap", "-5", -5, "-5 is not between 0 and 360 deg"],
    ["rms", "-0.1", -0.1, "-0.1 is less than 0 s"],
    ["agency_id", "x".repeat(65), "x".repeat(65), "is longer than 64 characters"],
    ["timestamp", "yesterday", "yesterday", '"yesterday" is not a time that is understood'],
    ["extra", '"{""a"":"', '{"a":', "holds JSON that cannot be read or is nested deeper than 32"],
    [
      "extra",
      "[".repeat(40) + "]".repeat(40),
      "[".repeat(40) + "]".repeat(40),
      "holds JSON that cannot be read or is nested deeper than 32",
    ],
  ])("of %s gives %j back as %j with a warning", (column, text, value, warning) => {
    const warnings = [`2: ${column}: ${warning}`];
    expect(readCell(column, text)).toMatchObject({ value, warnings, errors: [] });
  });

  it.each<[column: string, text: string, original: JsonValue, value: JsonValue]>([
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
  ])("of %s replaces %j and keeps it under extra", (column, text, original, value) => {
    const { warnings, ...read } = readCell(column, text);
    expect(read).toEqual({ value, extra: { [column]: original }, errors: [] });
    expect(warnings).toEqual([expect.stringContaining(`2: ${column}: `)]);
  });

  it("gives latitude 999 and longitude 361 back with a warning, and wraps longitudes up to 360, which is told once", () => {
    const read = readText(
      "time,latitude,longitude,m\n2011-03-11,999,359.5,1\n2011-03-12,1,361,1\n2011-03-13,1,200,1\n",
    );
    expect(read.rows.map((row) => row["latitude"])).toEqual([999, 1, 1]);
    expect(read.rows.map((row) => row["longitude"])).toEqual([-0.5, 361, -160]);
    expect(read.warnings).toEqual([
      "2: latitude: 999 is not between -90 and 90 deg",
      "2: longitude: longitudes of 180 to 360 are read as those of −180 to 0",
      "3: longitude: 361 is not between -180 and 360 deg",
    ]);
  });

  it("is unknown where GeoNet's quakesearch writes 0 for it, and 0 in other files", () => {
    const names = "originerror,azimuthalgap,magnitudeuncertainty,usedphasecount";
    const row = "2021-03-04,1,2,0,0,0.0,0,0.00,0";
    const file = (id: string, time: string) =>
      `${id},${time},latitude,longitude,depth,magnitude,${names}\na,${row}\nb,${row}\n`;
    const unknown = {
      depth: 0,
      magnitude: 0,
      originerror: null,
      azimuthalgap: null,
      magnitudeuncertainty: null,
      usedphasecount: 0,
      extra: { originerror: 0, azimuthalgap: 0, magnitudeuncertainty: 0 },
    };
    const { rows, warnings, headers } = readText(file("publicid", "origintime"));
    expect(rows).toMatchObject([unknown, unknown]);
    expect(headers).toEqual(file("publicid", "origintime").split("\n")[0]?.split(","));
    expect(warnings).toEqual(
      ["originerror", "azimuthalgap", "magnitudeuncertainty"].map(
        (name) => `2: ${name}: 0 stands for "not known" in files like this; it is kept under extra`,
      ),
    );
    const other = readText(file("id", "time"));
    expect(other.rows[0]).toMatchObject({
      originerror: 0,
      azimuthalgap: 0,
      magnitudeuncertainty: 0,
    });
    expect(other.warnings).toEqual([]);
  });

  it("merges what is replaced with the extra that a row has", () => {
    const text = `time,latitude,longitude,mag,extra
2011-03-11,1,2,-9,"{""net"":""us""}"
2011-03-12,1,2,-9,"{""mag"":3}"
2011-03-13,1,2,-9,words
2011-03-14,1,2,-9,
`;
    expect(readText(text).rows.map((row) => row["extra"])).toEqual([
      { net: "us", mag: -9 },
      { mag: 3, "mag.1": -9 },
      { extra: "words", mag: -9 },
      { mag: -9 },
    ]);
  });

  it("is a number in every row of a column of numbers, and text in every row of a column of codes", () => {
    const head = "time,latitude,longitude,mag,residual,code";
    const rows = ["5.0,123", "5.1,007", "-0.50,42", "1e-05,1", "+3,12e4"].map((cells, i) => {
      return `2021-03-0${i + 1},1,2,3,${cells}`;
    });
    const read = readText([head, ...rows].join("\n"));
    expect(read.rows.map((row) => row["residual"])).toEqual([5, 5.1, -0.5, 1e-5, 3]);
    expect(read.rows.map((row) => row["code"])).toEqual(["123", "007", "42", "1", "12e4"]);
  });

  it("accepts a time of day where the date has its own column", () => {
    const text =
      "date,time,lat,lon,mag\n2011-03-11,05:46:24.12,38,142,1\n2011-03-11,25:46,38,142,1\n";
    expect(readText(text).warnings).toEqual(['3: time: "25:46" is not a time that is understood']);
  });

  it("takes a guard off a longer chain of quotes once", () => {
    expect(readCell("region", "'''@x").value).toBe("''@x");
  });
});
