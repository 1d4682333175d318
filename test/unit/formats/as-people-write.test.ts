import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ColumnTarget } from "#contracts/seismic-event/named-columns.ts";
import { readFile } from "./read-file.ts";

const table = (header: string, ...rows: readonly string[]) => `${[header, ...rows].join("\n")}\n`;

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

test("a number written with any unit, sign and hemisphere is that number", () => {
  const thousandths = (max: number) =>
    fc.integer({ min: 0, max: max * 1000 }).map((value) => (value / 1000).toString());
  const minus = fc.constantFrom("-", "−", "–", "－");
  const latitude = fc.oneof(
    fc
      .tuple(thousandths(90), fc.constantFrom("S", " S", "°S", "° s"))
      .map(([n, s]) => [`${n}${s}`, -n]),
    fc
      .tuple(thousandths(90), fc.constantFrom("N", "", "°", " deg"))
      .map(([n, s]) => [`${n}${s}`, +n]),
    fc.tuple(minus, thousandths(90)).map(([m, n]) => [`${m}${n}°`, -n]),
  );
  const depth = fc.oneof(
    fc
      .tuple(thousandths(700), fc.constantFrom("km", " km", " KM", ""))
      .map(([n, u]) => [n + u, +n]),
    fc
      .tuple(thousandths(700), fc.constantFrom(" m", "m", " metres"))
      .map(([n, u]) => [n + u, +`${n}e-3`]),
  );
  const magnitude = fc.oneof(
    fc.tuple(fc.constantFrom("M", "Mw ", "ML", "mb "), thousandths(9)).map(([t, n]) => [t + n, +n]),
    fc.tuple(thousandths(9), fc.constantFrom(" Ms", " MLv", "")).map(([n, t]) => [n + t, +n]),
  );
  fc.assert(
    fc.property(latitude, depth, magnitude, ([lat, y], [dep, z], [mag, m]) => {
      const [event] = readFile(
        table("time;lat;lon;depth;mag", `2021-01-02;${lat};2;${dep};${mag}`),
      ).events;
      const number = (value: unknown) => Number(value) + 0;
      expect([event?.latitude, event?.depth, event?.magnitude]).toEqual([y, z, m].map(number));
    }),
    { numRuns: 300 },
  );
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

describe("words and numbers for what is not known", () => {
  test.each([
    "<NA>",
    "#N/A",
    "?",
    "unknown",
    "-.-",
    ".",
    "NaT",
    "n/a",
    "--",
    "inf",
    "999",
    "999.0",
    "99.9",
  ])("words and numbers for what is not known make a null: %s", (unknown) => {
    const text = table("time,lat,lon,mag", `2021-01-02,1,2,${unknown}`);
    expect(readFile(text).events).toMatchObject([{ latitude: 1, longitude: 2 }]);
    expect(readFile(text).events[0]).not.toHaveProperty("magnitude");
    const json = JSON.stringify([{ time: "2021-01-02", lat: 1, lon: 2, mag: unknown }]);
    expect(readFile(json).events[0]).not.toHaveProperty("magnitude");
  });

  test("a latitude of 999 comes back as it is", () => {
    expect(readFile(table("time,lat,lon", "2021-01-02,999,2")).rows).toMatchObject([{ lat: 999 }]);
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

describe("a time", () => {
  const timesOf = (texts: readonly string[], options = {}) => {
    const rows = texts.map((text) => `"${text}",1,2,3`);
    const { events, faults } = readFile(table("time,lat,lon,mag", ...rows), options);
    return { times: events.map(({ time }) => time), faults };
  };

  test.each([
    ["31.12.2019 23:59:58.5", "2019-12-31T23:59:58.5Z"],
    ["12/31/2019", "2019-12-31T00:00:00Z"],
    ["2019.12.31 01:02", "2019-12-31T01:02:00Z"],
    ["20191231010203", "2019-12-31T01:02:03Z"],
    ["20191231", "2019-12-31T00:00:00Z"],
    ["05-Jan-2020 01:02:03", "2020-01-05T01:02:03Z"],
    ["January 5, 2020", "2020-01-05T00:00:00Z"],
    ["2020-01-05 01:02:03 UTC", "2020-01-05T01:02:03Z"],
    ["2020/01/05 01:02:03GMT", "2020-01-05T01:02:03Z"],
    ["1/25/2020 3:04:05 PM", "2020-01-25T15:04:05Z"],
    ["7.7.2020", "2020-07-07T00:00:00Z"],
  ])("a time written %s has one meaning", (text, time) => {
    expect(timesOf([text])).toEqual({ times: [time], faults: [] });
    const json = JSON.stringify([{ time: text, lat: 1, lon: 2, mag: 3 }]);
    expect(readFile(json).events).toMatchObject([{ time }]);
  });

  test("a time with two meanings is read as the whole column decides, whatever comes first", () => {
    const dmy = ["03/04/2020", "05/06/2020", "14/06/2020"];
    expect(timesOf(dmy).times.map((time) => time?.slice(0, 10))).toEqual([
      "2020-04-03",
      "2020-06-05",
      "2020-06-14",
    ]);
    const mdy = ["03/04/2020", "06/23/2020"];
    expect(timesOf(mdy).times.map((time) => time?.slice(5, 10))).toEqual(["03-04", "06-23"]);
  });

  test("a time with two meanings is refused by name where nothing decides, or dates contradict", () => {
    const { times, faults } = timesOf(["03/04/2020"]);
    expect([times, faults.join()]).toEqual([[], expect.stringContaining('"03/04/2020"')]);
    const mixed = timesOf(["03/04/2020", "14/04/2020", "04/14/2020"]);
    expect(mixed.times).toHaveLength(2);
    expect(mixed.faults.join()).toContain('"03/04/2020"');
  });

  test("a time is read in the order that is said, and one that has it not is refused", () => {
    const said = (dateOrder: string) => timesOf(["03/04/05", "03/14/05"], { dateOrder });
    expect(said("mdy").times).toEqual(["2005-03-04T00:00:00Z", "2005-03-14T00:00:00Z"]);
    expect(said("dmy").times).toEqual(["2005-04-03T00:00:00Z"]);
    expect(said("ymd").times).toEqual(["2003-04-05T00:00:00Z"]);
  });

  test("a time whose date and clock have columns of their own is read alike", () => {
    const text = table(
      "date;time;lat;lon;mag",
      "3.4.2020;3:04 PM;1;2;3",
      "14.4.2020;15:04:05 UTC;1;2;3",
    );
    expect(readFile(text).events).toMatchObject([
      { time: "2020-04-03T15:04:00Z" },
      { time: "2020-04-14T15:04:05Z" },
    ]);
  });

  test("a time written in any spelling is that time", () => {
    const pad = (value: number, length = 2) => String(value).padStart(length, "0");
    const day = fc.date({
      min: new Date("1900-01-01"),
      max: new Date("2025-01-01"),
      noInvalidDate: true,
    });
    const spelling = fc.constantFrom(
      (y: number, m: number, d: number, clock: string) => `${pad(d)}.${pad(m)}.${y} ${clock}`,
      (y: number, m: number, d: number, clock: string) => `${m}/${d}/${y} ${clock}`,
      (y: number, m: number, d: number, clock: string) => `${y}.${m}.${d} ${clock}`,
      (y: number, m: number, d: number, clock: string) =>
        `${y}${pad(m)}${pad(d)}${clock.replaceAll(":", "")}`,
      (y: number, m: number, d: number, clock: string) =>
        `${d}-${new Date(Date.UTC(y, m - 1)).toLocaleString("en", { month: "short", timeZone: "UTC" })}-${y} ${clock} UTC`,
    );
    fc.assert(
      fc.property(fc.array(day, { minLength: 1, maxLength: 4 }), spelling, (dates, spell) => {
        // Days after the twelfth decide the order for all.
        const all = [...dates, new Date("2001-12-25T00:00:00Z")];
        const texts = all.map((date) =>
          spell(
            date.getUTCFullYear(),
            date.getUTCMonth() + 1,
            date.getUTCDate(),
            date.toISOString().slice(11, 19),
          ),
        );
        const expected = all.map((date) => date.toISOString().replace(/\.\d+/, ""));
        expect(timesOf(texts)).toEqual({ times: expected, faults: [] });
      }),
      { numRuns: 200 },
    );
  });
});

describe("numbers for times", () => {
  const json = (...times: readonly (number | string)[]) =>
    JSON.stringify({ events: times.map((time) => ({ time, lat: 1, lon: 2, mag: 3 })) });

  test("numbers for times are seconds where none of the file is milliseconds, with a warning", () => {
    const { events, warnings } = readFile(json(1_500_000_000, 1_500_000_000.25, "1500000001"));
    expect(events).toMatchObject([
      { time: "2017-07-14T02:40:00Z" },
      { time: "2017-07-14T02:40:00.250000Z" },
      { time: "2017-07-14T02:40:01Z" },
    ]);
    expect(warnings).toEqual(["1: time: numbers are read as seconds since 1970"]);
  });

  test("numbers for times are milliseconds where they cannot be seconds", () => {
    expect(readFile(json(1_500_000_000_000, -1_500_000_000_000))).toMatchObject({
      events: [{ time: "2017-07-14T02:40:00.000Z" }, { time: "1922-06-20T21:20:00.000Z" }],
      warnings: [],
    });
  });

  test("numbers for times of both kinds in one file leave out those that may be either", () => {
    const { events, warnings } = readFile(json(1_500_000_000, 1_500_000_000_000));
    expect(events).toMatchObject([{ time: "2017-07-14T02:40:00.000Z" }]);
    expect(warnings).toEqual([
      "1: time: 1500000000 may be seconds or milliseconds since 1970: the file has both",
    ]);
  });

  test("numbers for times of USGS are always milliseconds", () => {
    const feature = (time: number) => ({
      type: "Feature",
      geometry: { type: "Point", coordinates: [1, 2, 3] },
      properties: { net: "us", code: "a", mag: 3, time },
    });
    const text = JSON.stringify({
      type: "FeatureCollection",
      features: [feature(86_400_000), feature(1_500_000_000_000)],
    });
    expect(readFile(text).events).toMatchObject([
      { time: "1970-01-02T00:00:00.000Z" },
      { time: "2017-07-14T02:40:00.000Z" },
    ]);
  });
});

describe("JSON", () => {
  const feature = (properties: object) =>
    JSON.stringify({
      type: "Feature",
      geometry: { type: "Point", coordinates: [1, 2, 3] },
      properties: { time: "2021-01-02", mag: 3, ...properties },
    });

  test("JSON as a text sequence is read as without its separators", () => {
    const lines = [feature({ id: "a" }), feature({ id: "b" })];
    const plain = readFile(`${lines.join("\n")}\n`);
    expect(readFile(lines.map((line) => `\u001e${line}\n`).join(""))).toEqual(plain);
    expect(plain.events).toHaveLength(2);
  });

  test.each(["eqfeed_callback(", " cb.x (\n", "$("])("JSON in a call of %s is read", (call) => {
    const list = `{"type":"FeatureCollection","features":[${feature({})}]}`;
    const { events, errors } = readFile(`${call}${list});\n`);
    expect([events.length, errors]).toEqual([1, []]);
  });

  test("JSON of GeoNet's API has deleted events as rejected, and localities as regions", () => {
    const { events, warnings } = readFile(
      [feature({ quality: "best", locality: "Tokoroa" }), feature({ quality: "deleted" })].join(
        "\n",
      ),
    );
    expect(events).toMatchObject([{ region: "Tokoroa" }, { evaluation_status: "rejected" }]);
    expect(warnings).toEqual(['2: quality: "deleted" is read as rejected']);
  });

  test.each(["json", "csv"])("a type in %s that is a magnitude's is that one's", (format) => {
    const members = { time: "2021-01-02", lat: 1, lon: 2, magnitude: 3.5, type: "MLv" };
    const csv = table(Object.keys(members).join(), Object.values(members).join());
    const { events, warnings, faults } = readFile(
      format === "csv" ? csv : JSON.stringify([members]),
    );
    expect(faults).toEqual([]);
    expect(events).toMatchObject([{ magnitude: 3.5, magnitude_type: "MLv" }]);
    expect(events[0]).not.toHaveProperty("event_type");
    expect(warnings).toHaveLength(1);
  });
});
