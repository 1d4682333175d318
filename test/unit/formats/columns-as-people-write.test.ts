import { describe, expect, test } from "vitest";
import type { ColumnTarget } from "#contracts/seismic-event/named-columns.ts";
import { readFile, table } from "./read-file.ts";

describe("a unit in a column's name", () => {
  test.each([
    ["Depth (km)", 7.5],
    ["depth(km)", 7.5],
    ["Depth [km]", 7.5],
    ["Focal Depth (km)", 7.5],
    ["Depth in km", 7.5],
    ["DepthKm", 7.5],
    ["DEPTH（km）", 7.5],
    ["Depth (m)", 0.0075],
    ["depth_m", 0.0075],
    ["Depth/m", 0.0075],
    ["Depth in metres", 0.0075],
  ])("a unit in a column's name applies: %s", (name, depth) => {
    const text = table(`time,lat,lon,${name},mag`, "2021-01-02T03:04:05Z,1,2,7.5,3");
    expect(readFile(text).events).toMatchObject([{ depth }]);
    const json = JSON.stringify([{ time: "2021-01-02", lat: 1, lon: 2, mag: 3, [name]: 7.5 }]);
    expect(readFile(json).events).toMatchObject([{ depth }]);
  });

  test.each([
    ["z_m", "depth", 0.0075],
    ["Tiefe [m]", "depth", 0.0075],
    ["Tiefe m", "depth", 0.0075],
    ["Tiefe [km]", "depth", 7.5],
    ["Tiefe", "depth", 7.5],
    ["err (ms)", "time_uncertainty", 0.0075],
    ["Fehler m", "horizontal_uncertainty", 0.0075],
  ] as const)("a unit in %s applies where a person maps it to %s", (name, target, value) => {
    const columns = new Map<string, ColumnTarget>([[name, target]]);
    const text = table(`time,lat,lon,mag,${name}`, "2021-01-02T03:04:05Z,1,2,3,7.5");
    expect(readFile(text, { columns }).events).toMatchObject([{ [target]: value }]);
    const json = JSON.stringify([{ time: "2021-01-02", lat: 1, lon: 2, mag: 3, [name]: 7.5 }]);
    expect(readFile(json, { columns }).events).toMatchObject([{ [target]: value }]);
  });

  test("a unit in a cell holds before that of its column", () => {
    const text = table(
      "time,lat,lon,Depth (m),mag",
      "2021-01-02,1,2,1500,3",
      "2021-01-02,1,2,12 km,3",
    );
    expect(readFile(text).events).toMatchObject([{ depth: 1.5 }, { depth: 12 }]);
  });
});

describe("what else stands in a column's name", () => {
  test("what else stands in a column's name is looked through: zone, degrees, mark-up, type", () => {
    const text = table(
      "Origin Time (UTC);Latitude (°N);Longitude [deg];Magnitude (Mw);locality<br>",
      "2021-01-02 03:04:05;1.5;2.5;6.25;Suva",
    );
    expect(readFile(text)).toMatchObject({
      warnings: [],
      events: [
        {
          time: "2021-01-02T03:04:05Z",
          latitude: 1.5,
          longitude: 2.5,
          magnitude: 6.25,
          magnitude_type: "Mw",
          region: "Suva",
        },
      ],
    });
  });

  test.each([
    ["Ms", "Ms"],
    ["mb", "mb"],
    ["mB", "mB"],
    ["Md", "Md"],
    ["MLv", "MLv"],
    ["Mww", "Mww"],
  ])("a column %s holds magnitudes of that type", (name, type) => {
    const text = table(`time,lat,lon,${name}`, "2021-01-02,1,2,5.5");
    expect(readFile(text).events).toMatchObject([{ magnitude: 5.5, magnitude_type: type }]);
  });

  test.each(["Time (JST)", "Time (local)", "local_time", "Origin Time [UTC+8]", "Date (NZST)"])(
    "times that a column %s says are not UTC are refused by name",
    (name) => {
      const { rows, errors } = readFile(table(`${name},lat,lon,mag`, "2021-01-02 03:04:05,1,2,3"));
      expect([rows, errors.join()]).toEqual([[], expect.stringContaining(`"${name}" are in`)]);
      const json = JSON.stringify([{ lat: 1, lon: 2, mag: 3, [name]: "2021-01-02 03:04:05" }]);
      expect(readFile(json).faults.join()).toContain("time is required");
      const beside = table(
        `${name},time_utc,lat,lon,mag`,
        "2021-01-02 13:04,2021-01-02 03:04,1,2,3",
      );
      expect(readFile(beside).events).toMatchObject([{ time: "2021-01-02T03:04:00Z" }]);
    },
  );

  test("the magnitude beside the type is the one that has it, and another is kept", () => {
    const text = table(
      "time,lat,lon,mag,magType,magnitude",
      "2021-01-02,1,2,3.5,Md,4.25",
      "2021-01-03,1,2,3.75,Md,",
    );
    expect(readFile(text).events).toMatchObject([
      { magnitude: 3.5, magnitude_type: "Md", extra: { magnitude: 4.25 } },
      { magnitude: 3.75, magnitude_type: "Md" },
    ]);
  });
});

describe("columns", () => {
  test("columns are divided by tabs where every row has them, whatever blanks the names have", () => {
    const text = table("time\tlat\tlon\tmag\tplace name", "2021-01-02\t1\t2\t3\tNew Plymouth");
    expect(readFile(text)).toMatchObject({
      headers: ["time", "lat", "lon", "mag", "place name"],
      rows: [{ "place name": "New Plymouth" }],
    });
  });

  test.each([
    ["time,lat,lon,mag,place", "2021-01-02,1,2,3,9 km E of Napier, NZ", "9 km E of Napier, NZ"],
    ["time;lat;lon;mag;place", "2021-01-02;1;2;3;Napier;Hastings", "Napier;Hastings"],
    ["time|lat|lon|mag|place", "2021-01-02|1|2|3|Napier | Hastings", "Napier | Hastings"],
    ["time|lat|lon|mag|place|type", "2021-01-02|1|2|3|Napier | Bay|explosion", "Napier | Bay"],
    ["time lat lon mag place", "2021-01-02 1 2 3 Hawke Bay", "Hawke Bay"],
  ])("columns of %s end with one that takes the rest, with a warning", (header, row, region) => {
    const plain = row.replace(/(?:, NZ|;Hastings| \| Hastings| \| Bay| Bay)/, "");
    const { events, warnings, errors } = readFile(table(header, plain, row));
    expect(errors).toEqual([]);
    expect(events[1]).toMatchObject({ magnitude: 3, region });
    expect(warnings).toContainEqual(expect.stringMatching(/^3: .* "place" takes the rest$/));
  });

  test("columns that end with numbers take no rest, and the row says so", () => {
    const text = table("time,lat,lon,mag", "2021-01-02,1,2,3", "2021-01-02,1,2,3,4");
    expect(readFile(text).errors).toEqual([
      '3: The row has 5 fields where there are 4 columns, and "mag" is a number',
    ]);
  });

  test("columns that a decimal comma has shifted take no rest", () => {
    const text = table("time,lat,lon,mag,place", "2021-01-02,1,2,3,x", "2021-01-02,1,5,2,5,3,5,x");
    expect(readFile(text).errors).toHaveLength(1);
  });

  test("columns of parts of a date make times, and what is not whole is refused by name", () => {
    const text = table(
      "Search\tYear\tMo\tDy\tHr\tMn\tSec\tLocation Name\tLatitude\tLongitude\tFocal Depth (km)\tMag",
      `["-500 <= Year"]${"\t".repeat(11)}`,
      "\t1855\t1\t23\t9\t32\t5.5\tWAIRARAPA\t-41.4\t174.5\t33\t8.2",
      "\t1848\t10\t\t\t\t\tMARLBOROUGH\t-41.9\t173.6\t\t7.5",
      "\t-226\t\t\t\t\t\tRHODES\t36.5\t28\t\t7.2",
    );
    const { events, faults, warnings } = readFile(text, { extension: "tsv" });
    expect(events).toMatchObject([
      { time: "1855-01-23T09:32:05.5Z", depth: 33, magnitude: 8.2, region: "WAIRARAPA" },
    ]);
    expect(faults).toEqual([
      "time is required: Year 1848, Mo 10 make no date",
      "time is required: Year -226 makes no date",
    ]);
    expect(warnings).toContain('2: The row holds nothing but "Search"; it is left out');
  });

  test.each(["csv", "json"])("columns of %s are mapped to parts of a time by hand", (format) => {
    const names = ["J", "M0", "T", "h", "min.", "s", "lat", "lon", "mag"];
    const values = [1999, 8, 17, 0, 1, 39.25, 40.75, 29.86, 7.6];
    const targets = ["year", "month", "day", "hour", "minute", "second"] as const;
    const columns = new Map(targets.map((target, i) => [names[i] ?? "", target]));
    const csv = table(names.join(), values.join());
    const json = JSON.stringify([Object.fromEntries(names.map((name, i) => [name, values[i]]))]);
    const { events } = readFile(format === "csv" ? csv : json, { columns });
    expect(events).toMatchObject([{ time: "1999-08-17T00:01:39.25Z", latitude: 40.75 }]);
  });
});
