import { describe, expect, test } from "vitest";
import { readFile, table } from "./read-file.ts";

describe("a column that looks like what is missing", () => {
  test("a time of day and a depth under unknown names are named", () => {
    const text = table(
      "Date;Heure;Latitude;Longitude;Profondeur (km);Mag",
      "2020-01-05;12:05:33;1,5;2,5;10,2;4,5",
    );
    const { warnings } = readFile(text);
    expect(warnings).toContain(
      '1: "Heure" may be the time of day but is not understood: all times are at midnight',
    );
    expect(warnings).toContain('1: "Profondeur (km)" may be the depth but is not understood');
  });

  test("numbers beside a missing magnitude are named", () => {
    const { warnings } = readFile(
      table("time,lat,lon,depth,taille", "2020-01-05T01:02:03Z,1,2,3,4"),
    );
    expect(warnings).toContain('1: "taille" may be the magnitude but is not understood');
  });

  test.each([
    ["date,time,lat,lon,depth,mag,pick", "2020-01-05,01:02:03,1,2,3,4,12:05"],
    ["date,lat,lon,depth,mag,pick", "2020-01-05T01:02:03Z,1,2,3,4,12:05"],
    ["time,lat,lon,depth,mag,stations", "2020-01-05T01:02:03Z,1,2,3,4,7"],
    ["time,lat,lon,mag,code,size", "2020-01-05T01:02:03Z,1,2,4,007,5000"],
  ])("what is given or cannot be meant is not asked for: %s", (header, row) => {
    expect(readFile(table(header, row)).warnings).toEqual([]);
  });
});

describe("a unit or a zone that is not read", () => {
  test.each([
    ["Date,Time (JST),Lat,Lon,Mag", "2020-01-05,12:05:33,1,2,3"],
    ["Date,local_time,Lat,Lon,Mag", "2020/01/05,12:05:33,1,2,3"],
    ["Date,Time (JST),Lat,Lon,Mag", "05.01.2020,12:05,1,2,3"],
  ])("times of day in another zone beside dates are refused: %s", (header, row) => {
    const { errors, rows } = readFile(table(header, row));
    expect(rows).toEqual([]);
    expect(errors).toEqual([expect.stringContaining("not in UTC")]);
  });

  test.each([
    ["Date,Time,local_time,Lat,Lon,Mag", "2020-01-05,12:05:33,21:05:33,1,2,3"],
    ["Date,local_time,Lat,Lon,Mag", "2020-01-05T12:05:33Z,21:05:33,1,2,3"],
    ["time,Time (JST),Lat,Lon,Mag", "2020-01-05 12:05:33,21:05:33,1,2,3"],
  ])("times in another zone beside times in UTC are no matter: %s", (header, row) => {
    expect(readFile(table(header, row)).events).toMatchObject([{ time: "2020-01-05T12:05:33Z" }]);
  });

  test.each(["Depth_ft", "Depth (ft)", "depth_miles", "Depth in feet", "DepthFt"])(
    "values in another unit are named, and kept under extra: %s",
    (name) => {
      const message = new RegExp(
        `${name.replaceAll(/[()]/g, ".")}.* are in \\w+, which is not read as depth`,
      );
      const text = readFile(table(`time,lat,lon,mag,${name}`, "2020-01-05T01:02:03Z,1,2,3,7.5"));
      expect(text.warnings).toEqual([expect.stringMatching(message)]);
      expect(text.events).toMatchObject([{ extra: { [name]: 7.5 } }]);
      const json = JSON.stringify([{ time: "2021-01-02", lat: 1, lon: 2, mag: 3, [name]: 7.5 }]);
      expect(readFile(json).warnings).toEqual([expect.stringMatching(message)]);
      const both = table(`time,lat,lon,mag,depth,${name}`, "2020-01-05T01:02:03Z,1,2,3,4,7.5");
      expect(readFile(both).warnings).toEqual([]);
    },
  );
});

describe("decimal commas of a column without a meaning", () => {
  test("are points in all rows, where it holds numbers alone", () => {
    const rows = ["5,2", "4", "", "-1,5"].map((cell) => `2020-01-05T01:02:03Z;1;2;3;4;${cell}`);
    const { rows: read, warnings } = readFile(table("time;lat;lon;depth;mag;size", ...rows));
    expect(read.map(({ size }) => size)).toEqual([5.2, 4, null, -1.5]);
    expect(warnings).toEqual(["2: size: decimal commas are read as points"]);
  });

  test("are text, where it holds text too", () => {
    const rows = ['"5,2"', "x"].map((cell) => `2020-01-05T01:02:03Z,1,2,3,4,${cell}`);
    const { rows: read } = readFile(table("time,lat,lon,depth,mag,size", ...rows));
    expect(read.map(({ size }) => size)).toEqual(["5,2", "x"]);
  });
});
