import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wrapLongitude } from "#contracts/geometry/globe.ts";
import type { ColumnTarget, NamedColumns } from "#contracts/seismic-event/columns.ts";
import { faultyColumns } from "#services/domain/events/validation/columns.ts";
import { createEventValidator } from "#services/domain/events/validation/validate-event.ts";
import { type ReadFile, readFile, table } from "../../support/formats/readers.ts";
import { runs } from "../../support/runs.ts";

const HEAD = "time,lat,lon,mag";
const TIME = "2021-01-02T03:04:05Z";
const EVENT = `${TIME},1,2,3`;

/** An event with a column more, as a table and as JSON. */
function filesWith(name: string, value: number | string): readonly string[] {
  const json = JSON.stringify([{ time: TIME, lat: 1, lon: 2, mag: 3, [name]: value }]);
  return [table(`${HEAD},${name}`, `${EVENT},${value}`), json];
}

describe("the name of a column", () => {
  test("the name of a column says its unit, in any way, also where a person says what it is", () => {
    const names =
      "Depth (km);depth(km);Depth [km];Focal Depth (km);Depth in km;DepthKm;DEPTH（km）";
    const metres = "Depth (m);depth_m;Depth/m;Depth in metres";
    const depths = [
      ...names.split(";").map((name) => [name, "depth", 7.5] as const),
      ...metres.split(";").map((name) => [name, "depth", 0.0075] as const),
    ];
    const mapped = [
      ["z_m", "depth", 0.0075],
      ["Tiefe [m]", "depth", 0.0075],
      ["Tiefe m", "depth", 0.0075],
      ["Tiefe [km]", "depth", 7.5],
      ["Tiefe", "depth", 7.5],
      ["err (ms)", "time_uncertainty", 0.0075],
      ["Fehler m", "horizontal_uncertainty", 0.0075],
    ] as const;
    for (const [name, target, value] of [...depths, ...mapped]) {
      const columns = new Map<string, ColumnTarget>(
        mapped.some(([one]) => one === name) ? [[name, target]] : [],
      );
      for (const file of filesWith(name, 7.5)) {
        expect(readFile(file, { columns }).events, name).toMatchObject([{ [target]: value }]);
      }
    }
  });

  test("the name of a column may be the type of its magnitudes", () => {
    for (const type of ["Ms", "mb", "mB", "Md", "MLv", "Mww"]) {
      const { events } = readFile(table(`time,lat,lon,${type}`, "2021-01-02,1,2,5.5"));
      expect(events, type).toMatchObject([{ magnitude: 5.5, magnitude_type: type }]);
    }
  });

  test("the name of a column that says another zone than UTC makes no times, but beside some in UTC", () => {
    for (const name of [
      "Time (JST)",
      "Time (local)",
      "local_time",
      "Time [UTC+8]",
      "Date (NZST)",
    ]) {
      const { rows, errors } = readFile(table(`${name},lat,lon,mag`, "2021-01-02 03:04:05,1,2,3"));
      expect([rows, errors.join()]).toEqual([[], expect.stringContaining(`"${name}" are in`)]);
      const json = JSON.stringify([{ lat: 1, lon: 2, mag: 3, [name]: "2021-01-02 03:04:05" }]);
      expect(readFile(json).faults.join()).toContain("time is required");
      const row = "2021-01-02 13:04,2021-01-02 03:04,1,2,3";
      const beside = readFile(table(`${name},time_utc,lat,lon,mag`, row));
      expect(beside.events, name).toMatchObject([{ time: "2021-01-02T03:04:00Z" }]);
    }
    for (const [header, row] of [
      ["Date,Time (JST),Lat,Lon,Mag", "2020-01-05,12:05:33,1,2,3"],
      ["Date,local_time,Lat,Lon,Mag", "2020/01/05,12:05:33,1,2,3"],
      ["Date,Time (JST),Lat,Lon,Mag", "05.01.2020,12:05,1,2,3"],
    ] as const) {
      const { errors, rows } = readFile(table(header, row));
      expect([rows, errors], header).toEqual([[], [expect.stringContaining("not in UTC")]]);
    }
    for (const [header, row] of [
      ["Date,Time,local_time,Lat,Lon,Mag", "2020-01-05,12:05:33,21:05:33,1,2,3"],
      ["Date,local_time,Lat,Lon,Mag", "2020-01-05T12:05:33Z,21:05:33,1,2,3"],
      ["time,Time (JST),Lat,Lon,Mag", "2020-01-05 12:05:33,21:05:33,1,2,3"],
    ] as const) {
      const { events } = readFile(table(header, row));
      expect(events, header).toMatchObject([{ time: "2020-01-05T12:05:33Z" }]);
    }
  });

  test("the name of a column that says a unit that is not read is told, and its values are kept under extra", () => {
    for (const name of ["Depth_ft", "Depth (ft)", "depth_miles", "Depth in feet", "DepthFt"]) {
      const escaped = name.replaceAll(/[()]/g, ".");
      const message = new RegExp(`${escaped}.* are in \\w+, which is not read as depth`);
      for (const file of filesWith(name, 7.5)) {
        const { warnings, events } = readFile(file);
        expect(warnings).toEqual([expect.stringMatching(message)]);
        expect(events).toMatchObject([{ extra: { [name]: 7.5 } }]);
      }
      const both = table(`time,lat,lon,mag,depth,${name}`, `${EVENT},4,7.5`);
      expect(readFile(both).warnings, name).toEqual([]);
    }
  });

  test("the name of a column that is not understood is not asked for where nothing is missing", () => {
    for (const [header, row] of [
      ["date,time,lat,lon,depth,mag,pick", "2020-01-05,01:02:03,1,2,3,4,12:05"],
      ["date,lat,lon,depth,mag,pick", "2020-01-05T01:02:03Z,1,2,3,4,12:05"],
      ["time,lat,lon,depth,mag,stations", "2020-01-05T01:02:03Z,1,2,3,4,7"],
      ["time,lat,lon,mag,code,size", "2020-01-05T01:02:03Z,1,2,4,007,5000"],
    ] as const) {
      expect(readFile(table(header, row)).warnings, header).toEqual([]);
    }
  });

  test("the names of columns may be mapped to parts of a time by hand", () => {
    const names = ["J", "M0", "T", "h", "min.", "s", "lat", "lon", "mag"];
    const values = [1999, 8, 17, 0, 1, 39.25, 40.75, 29.86, 7.6];
    const targets = ["year", "month", "day", "hour", "minute", "second"] as const;
    const columns = new Map(targets.map((target, i) => [names[i] ?? "", target]));
    const event = Object.fromEntries(names.map((name, i) => [name, values[i]]));
    for (const file of [table(names.join(), values.join()), JSON.stringify([event])]) {
      const { events } = readFile(file, { columns });
      expect(events).toMatchObject([{ time: "1999-08-17T00:01:39.25Z", latitude: 40.75 }]);
    }
  });
});

test("the last column takes the rest of its row, with a warning", () => {
  for (const [header, row, region] of [
    ["time,lat,lon,mag,place", "2021-01-02,1,2,3,9 km E of Napier, NZ", "9 km E of Napier, NZ"],
    ["time;lat;lon;mag;place", "2021-01-02;1;2;3;Napier;Hastings", "Napier;Hastings"],
    ["time|lat|lon|mag|place", "2021-01-02|1|2|3|Napier | Hastings", "Napier | Hastings"],
    ["time|lat|lon|mag|place|type", "2021-01-02|1|2|3|Napier | Bay|explosion", "Napier | Bay"],
    ["time lat lon mag place", "2021-01-02 1 2 3 Hawke Bay", "Hawke Bay"],
  ] as const) {
    const plain = row.replace(/(?:, NZ|;Hastings| \| Hastings| \| Bay| Bay)/, "");
    const { events, warnings, errors } = readFile(table(header, plain, row));
    expect(errors, header).toEqual([]);
    expect(events[1]).toMatchObject({ magnitude: 3, region });
    expect(warnings).toContainEqual(expect.stringMatching(/^3: .* "place" takes the rest$/));
  }
});

describe("a date beside parts of the time of day", () => {
  const REST = { lat: 1, lon: 2, depth: 3, mag: 4 };
  const validate = createEventValidator({ nowMs: Date.UTC(2026, 0) });

  /** The times that these members make in each of the ways in, and what is kept. */
  function readings(members: Readonly<Record<string, string | number>>) {
    const event = { ...members, ...REST };
    const text = table(Object.keys(event).join(";"), Object.values(event).join(";"));
    const sent = validate(event);
    return [
      ...[text, JSON.stringify([event])].map((content) => readFile(content).events[0]),
      sent.ok ? sent.record : undefined,
    ].map((record) => record && { time: record.time, extra: record.extra ?? null });
  }

  test("a date beside parts of the time of day is one time in every way in, or none", () => {
    const time = (text: string, extra: object | null = null) => ({ time: text, extra });
    for (const [members, expected] of [
      [{ date: "2020-01-05", hour: 12, minute: 5, second: 33.5 }, time("2020-01-05T12:05:33.5Z")],
      [{ date: "2020/01/05", hour: 12 }, time("2020-01-05T12:00:00Z")],
      [{ date: "15.01.2020", hour: 12, minute: 5 }, time("2020-01-15T12:05:00Z")],
      [{ date: "2020-01-05", hour: "12:05:33" }, time("2020-01-05T12:05:33Z")],
      [{ year: 2020, month: 1, day: 5, hour: "12:05:33" }, time("2020-01-05T12:05:33Z")],
      [{ date: "2020-01-05T01:02:03Z", hour: 12 }, time("2020-01-05T01:02:03Z", { hour: 12 })],
      [{ date: "2020-01-05", hour: "noon" }, undefined],
      [{ date: "2020-01-05", "Time (JST)": "12:05:33" }, undefined],
    ] as const) {
      expect(readings(members), JSON.stringify(members)).toEqual(Array(3).fill(expected));
    }
    const sent = validate({ date: "2020-01-05", "Time (JST)": "12:05:33", ...REST });
    expect(sent).toMatchObject({ errors: [{ message: expect.stringContaining("JST") }] });
  });

  test("a column that is said to be the hour may hold times of day, and is kept beside a whole time", () => {
    const columns = new Map<string, ColumnTarget>([["Heure", "hour"]]);
    const parts = table("Date,Heure,lat,lon,depth,mag", "2020-01-05,12:05:33,1,2,3,4");
    const { events, warnings } = readFile(parts, { columns });
    expect(events).toEqual([expect.objectContaining({ time: "2020-01-05T12:05:33Z" })]);
    expect(events[0]).not.toHaveProperty("extra");
    expect(warnings).toEqual([]);
    const whole = table("time,Heure,lat,lon,depth,mag", "2020-01-05T01:02:03Z,12:05:33,1,2,3,4");
    const [event] = readFile(whole, { columns }).events;
    expect(event).toMatchObject({ time: "2020-01-05T01:02:03Z", extra: { Heure: "12:05:33" } });
    expect(event?.extra).not.toHaveProperty("hour");
  });
});

describe("depths whose unit is not said", () => {
  /** The same depths as a table, as JSON and as GeoJSON. */
  function filesOf(name: string, depths: readonly (number | string)[]): string[] {
    const events = depths.map((depth) => ({ time: TIME, lat: 1, lon: 2, mag: 3, [name]: depth }));
    const features = events.map(({ lat, lon, ...properties }) => ({
      type: "Feature",
      geometry: { type: "Point", coordinates: [lon, lat] },
      properties,
    }));
    return [
      table(`${HEAD},${name}`, ...depths.map((depth) => `${EVENT},${depth}`)),
      JSON.stringify(events),
      JSON.stringify({ type: "FeatureCollection", features }),
    ];
  }
  const depthsOf = ({ events }: ReadFile) => events.map(({ depth }) => depth);

  test("depths most of which are beyond all kilometres are metres, which is told once", () => {
    for (const depths of [
      [7341.5, 412, 5903],
      [1200.5, "NaN", -999, 0, 0, 0],
      [-1500, 20_000, 450],
    ]) {
      for (const file of filesOf("depth", depths)) {
        const read = readFile(file);
        const metres = depths.map((depth) =>
          typeof depth === "number" && depth !== -999 ? depth / 1000 : undefined,
        );
        expect(depthsOf(read)).toEqual(metres);
        const message = "most of the depths are beyond 1000 km, so all are read as metres";
        expect(read.warnings.filter((warning) => warning.includes("metres"))).toEqual([
          expect.stringContaining(message),
        ]);
      }
    }
  });

  test("depths some of which are beyond all kilometres are nothing, until a unit is said", () => {
    const said = (unit: "m" | "km"): NamedColumns =>
      new Map([["depth", { attribute: "depth", unit }]]);
    for (const depths of [
      [371, 8452.1],
      [12, 33, 650, 5000, 10],
    ]) {
      for (const file of filesOf("depth", depths)) {
        const read = readFile(file);
        expect(read.events).toEqual([]);
        expect(read.faults).toEqual(depths.map(() => "depth must be a number"));
        const message = "none is read before its column is said to have a unit";
        expect(read.warnings.join()).toContain(message);
        const inMetres = readFile(file, { columns: said("m") });
        expect(depthsOf(inMetres)).toEqual(depths.map((depth) => depth / 1000));
        const within = depths.filter((depth) => depth <= 1000);
        expect(depthsOf(readFile(file, { columns: said("km") }))).toEqual(within);
      }
    }
  });

  test("depths of one column have one unit: kilometres and metres are never mixed", () => {
    const depth = fc
      .oneof(fc.integer({ min: -10, max: 1000 }), fc.integer({ min: -3000, max: 700_000 }))
      .filter((value) => !/^-?9+$/.test(String(value)) && (value >= -10 || value < -1000));
    fc.assert(
      fc.property(fc.array(depth, { minLength: 1, maxLength: 30 }), (depths) => {
        const beyond = depths.filter((value) => Math.abs(value) > 1000).length;
        const rest = depths.filter((value) => value !== 0).length - beyond;
        for (const file of filesOf("depth", depths)) {
          const read = depthsOf(readFile(file));
          if (beyond === 0) expect(read).toEqual(depths);
          else if (beyond <= rest) expect(read).toEqual([]);
          else expect(read).toEqual(depths.map((value) => value / 1000));
        }
      }),
      { numRuns: runs(200, 1 / 10) },
    );
  });

  test("depths whose unit the column says, or a cell, are judged alone", () => {
    for (const name of ["depth_km", "Depth (km)", "Depth/km", "depthKm", "depth_m"]) {
      const places = name === "depth_m" ? 1000 : 1;
      for (const file of filesOf(name, [10 * places, 5000 * places, 7000 * places])) {
        const { events, faults } = readFile(file);
        expect(events, name).toMatchObject([{ depth: 10 }]);
        expect(faults).toHaveLength(2);
      }
    }
    const [file = ""] = filesOf("depth", ["12 km", "9000 m", "7500"]);
    expect(depthsOf(readFile(file))).toEqual([12, 9, 7.5]);
  });
});

describe("a unit that a column is said to have", () => {
  const UNITS = [
    ["depth", "m", 1 / 1000, 0, 700_000],
    ["depth", "km", 1, 0, 700],
    ["depth", "mi", 1.609344, 0, 400],
    ["horizontal_uncertainty", "m", 1 / 1000, 0, 5000],
    ["azimuthal_gap", "rad", 180 / Math.PI, 0, 6],
    ["minimum_distance", "deg", 1, 0, 180],
    ["standard_error", "ms", 1 / 1000, 0, 5000],
    ["time_uncertainty", "s", 1, 0, 60],
  ] as const;

  test("a unit that a column is said to have is that of its values, whatever its name says", () => {
    const names = fc.constantFrom("x", "x (km)", "depth_m", "own");
    fc.assert(
      fc.property(fc.constantFrom(...UNITS), names, fc.nat(1_000_000), (unit, given, part) => {
        const [attribute, symbol, factor, min, max] = unit;
        const name = given === "own" ? attribute : given;
        const value = Number((min + ((max - min) * part) / 1_000_000).toFixed(3));
        const columns: NamedColumns = new Map([[name, { attribute, unit: symbol }]]);
        for (const file of filesWith(name, value)) {
          const [event] = readFile(file, { columns }).events;
          expect(event?.[attribute]).toBeCloseTo(value * factor, 9);
          // No noise of binary fractions.
          expect(String(event?.[attribute]).length).toBeLessThan(18);
        }
      }),
      { numRuns: runs(300, 1 / 10) },
    );
  });

  test("a unit that a column is said to have counts times from 1970, and miles, but for cells with their own", () => {
    for (const [unit, value, time] of [
      ["s", 1_609_556_645.25, "2021-01-02T03:04:05.250000Z"],
      ["ms", 1_609_556_645_250, "2021-01-02T03:04:05.250Z"],
      ["ms", 86_400_000, "1970-01-02T00:00:00.000Z"],
    ] as const) {
      const columns: NamedColumns = new Map([["t", { attribute: "time", unit }]]);
      const json = JSON.stringify([{ lat: 1, lon: 2, mag: 3, t: value }]);
      for (const content of [table("t,lat,lon,mag", `${value},1,2,3`), json]) {
        expect(readFile(content, { columns }).events, time).toMatchObject([{ time }]);
      }
    }
    const miles: NamedColumns = new Map([["Depth (mi)", { attribute: "depth", unit: "mi" }]]);
    for (const file of filesWith("Depth (mi)", 10)) {
      expect(readFile(file, { columns: miles }).events).toMatchObject([{ depth: 16.09344 }]);
    }
    const columns: NamedColumns = new Map([["z", { attribute: "depth", unit: "m" }]]);
    const rows = [`${EVENT},8452.1`, `${EVENT},12 km`, `${EVENT},NaN`];
    const { events } = readFile(table(`${HEAD},z`, ...rows), { columns });
    expect(events.map(({ depth }) => depth)).toEqual([8.4521, 12, undefined]);
  });

  test("a unit that a column is said to have is one of its attribute", () => {
    for (const [attribute, unit, message] of [
      ["depth", "s", "is in s, but depth has m or km or mi"],
      ["latitude", "km", "is in km, but latitude has deg or rad"],
      ["time", "rad", "is in rad, but time has s or ms"],
      ["residual", "m", "is in m, but residual has s or ms"],
      ["magnitude", "m", "is in m, but magnitude has no unit"],
      ["station", "m", "is in m, but station has no unit"],
    ] as const) {
      const columns: NamedColumns = new Map([["x", { attribute, unit }]]);
      const fault = { field: "columns.x", message };
      expect(faultyColumns(columns, { headers: ["x"] })).toEqual([fault]);
    }
    const columns: NamedColumns = new Map([["Depth (mi)", { attribute: "depth", unit: "mi" }]]);
    expect(faultyColumns(columns, { headers: ["Depth (mi)"] })).toEqual([]);
  });
});

test("longitudes of 180 to 360 are wrapped and told once, as a table and as JSON", () => {
  const longitude = fc.integer({ min: -18_000, max: 36_000 }).map((value) => value / 100);
  fc.assert(
    fc.property(fc.array(longitude, { minLength: 1, maxLength: 20 }), (longitudes) => {
      const rows = longitudes.map((lon) => `${TIME},1,${lon},3`);
      const json = longitudes.map((lon) => ({ time: "2021-01-02", lat: 1, lon, mag: 3 }));
      for (const content of [table(HEAD, ...rows), JSON.stringify(json)]) {
        const { rows: read, warnings, events } = readFile(content);
        const wrapped = longitudes.map(wrapLongitude);
        expect(read.map((row) => row["lon"] ?? row["longitude"])).toEqual(wrapped);
        expect(events.map((event) => event.longitude)).toEqual(wrapped);
        const told = warnings.filter((warning) => warning.includes("180 to 360"));
        expect(told).toHaveLength(longitudes.some((lon) => lon > 180) ? 1 : 0);
      }
    }),
    { numRuns: runs(200, 1 / 10) },
  );
});

describe("a time", () => {
  const timesOf = (texts: readonly string[], options = {}) => {
    const rows = texts.map((text) => `"${text}",1,2,3`);
    const { events, faults } = readFile(table(HEAD, ...rows), options);
    return { times: events.map(({ time }) => time), faults };
  };

  test("a time with one meaning is that, however it is written", () => {
    for (const [text, time] of [
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
    ] as const) {
      expect(timesOf([text])).toEqual({ times: [time], faults: [] });
      const json = JSON.stringify([{ time: text, lat: 1, lon: 2, mag: 3 }]);
      expect(readFile(json).events, text).toMatchObject([{ time }]);
    }
  });

  test("a time with two meanings is read as the whole column decides, else refused by name", () => {
    const days = (...texts: string[]) => timesOf(texts).times.map((time) => time?.slice(5, 10));
    expect(days("03/04/2020", "05/06/2020", "14/06/2020")).toEqual(["04-03", "06-05", "06-14"]);
    expect(days("03/04/2020", "06/23/2020")).toEqual(["03-04", "06-23"]);
    const { times, faults } = timesOf(["03/04/2020"]);
    expect([times, faults.join()]).toEqual([[], expect.stringContaining('"03/04/2020"')]);
    const mixed = timesOf(["03/04/2020", "14/04/2020", "04/14/2020"]);
    expect(mixed.times).toHaveLength(2);
    expect(mixed.faults.join()).toContain('"03/04/2020"');
  });

  test("a time is read in the order that is said, and one that has it not is refused", () => {
    const said = (dateOrder: string) => timesOf(["03/04/05", "03/14/05"], { dateOrder }).times;
    expect(said("mdy")).toEqual(["2005-03-04T00:00:00Z", "2005-03-14T00:00:00Z"]);
    expect(said("dmy")).toEqual(["2005-04-03T00:00:00Z"]);
    expect(said("ymd")).toEqual(["2003-04-05T00:00:00Z"]);
  });

  test("a time written in any spelling is that time", () => {
    const pad = (value: number, length = 2) => String(value).padStart(length, "0");
    const day = fc.date({
      min: new Date("1900-01-01"),
      max: new Date("2025-01-01"),
      noInvalidDate: true,
    });
    const month = (m: number) =>
      new Date(Date.UTC(2000, m - 1)).toLocaleString("en", { month: "short", timeZone: "UTC" });
    type Spell = (y: number, m: number, d: number, clock: string) => string;
    const spelling = fc.constantFrom<Spell>(
      (y, m, d, clock) => `${pad(d)}.${pad(m)}.${y} ${clock}`,
      (y, m, d, clock) => `${m}/${d}/${y} ${clock}`,
      (y, m, d, clock) => `${y}.${m}.${d} ${clock}`,
      (y, m, d, clock) => `${y}${pad(m)}${pad(d)}${clock.replaceAll(":", "")}`,
      (y, m, d, clock) => `${d}-${month(m)}-${y} ${clock} UTC`,
    );
    fc.assert(
      fc.property(fc.array(day, { minLength: 1, maxLength: 4 }), spelling, (dates, spell) => {
        // Days after the twelfth decide the order for all.
        const all = [...dates, new Date("2001-12-25T00:00:00Z")].map((date) =>
          date.toISOString().replace(/\.\d+/, ""),
        );
        const texts = all.map((time) => {
          const [y = 0, m = 0, d = 0] = time.slice(0, 10).split("-").map(Number);
          return spell(y, m, d, time.slice(11, 19));
        });
        expect(timesOf(texts)).toEqual({ times: all, faults: [] });
      }),
      { numRuns: 200 },
    );
  });

  test("a time that is a number is seconds where none of the file is milliseconds, which is told", () => {
    const read = (...times: readonly (number | string)[]) =>
      readFile(JSON.stringify(times.map((time) => ({ time, lat: 1, lon: 2, mag: 3 }))));
    for (const [times, expected, warnings] of [
      [
        [1_500_000_000, 1_500_000_000.25, "1500000001"],
        ["2017-07-14T02:40:00Z", "2017-07-14T02:40:00.250000Z", "2017-07-14T02:40:01Z"],
        ["1: time: numbers are read as seconds since 1970"],
      ],
      [
        [1_500_000_000_000, -1_500_000_000_000],
        ["2017-07-14T02:40:00.000Z", "1922-06-20T21:20:00.000Z"],
        [],
      ],
      [
        [1_500_000_000, 1_500_000_000_000],
        ["2017-07-14T02:40:00.000Z"],
        ["1: time: 1500000000 may be seconds or milliseconds since 1970: the file has both"],
      ],
    ] as const) {
      const told = read(...times);
      expect([told.events.map(({ time }) => time), told.warnings]).toEqual([expected, warnings]);
    }
  });
});

test("a number written with any unit, sign and hemisphere is that number", () => {
  const thousandths = (max: number) =>
    fc.integer({ min: 0, max: max * 1000 }).map((value) => (value / 1000).toString());
  const minus = fc.constantFrom("-", "−", "–", "－");
  const south = fc.constantFrom("S", " S", "°S", "° s");
  const north = fc.constantFrom("N", "", "°", " deg");
  const latitude = fc.oneof(
    fc.tuple(thousandths(90), south).map(([n, s]) => [`${n}${s}`, -n]),
    fc.tuple(thousandths(90), north).map(([n, s]) => [`${n}${s}`, +n]),
    fc.tuple(minus, thousandths(90)).map(([m, n]) => [`${m}${n}°`, -n]),
  );
  const kilometres = fc.constantFrom("km", " km", " KM", "");
  const depth = fc.oneof(
    fc.tuple(thousandths(700), kilometres).map(([n, u]) => [n + u, +n]),
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
      const row = `2021-01-02;${lat};2;${dep};${mag}`;
      const [event] = readFile(table("time;lat;lon;depth;mag", row)).events;
      const number = (value: unknown) => Number(value) + 0;
      expect([event?.latitude, event?.depth, event?.magnitude]).toEqual([y, z, m].map(number));
    }),
    { numRuns: 300 },
  );
});

test("words and numbers for what is not known make a null", () => {
  const words = "<NA>;#N/A;?;unknown;-.-;.;NaT;n/a;--;inf;999;999.0;99.9";
  for (const unknown of words.split(";")) {
    const json = JSON.stringify([{ time: "2021-01-02", lat: 1, lon: 2, mag: unknown }]);
    for (const file of [table(HEAD, `2021-01-02,1,2,${unknown}`), json]) {
      const [event] = readFile(file).events;
      expect(event, unknown).toMatchObject({ latitude: 1, longitude: 2 });
      expect(event).not.toHaveProperty("magnitude");
    }
  }
});

test("a type that is a magnitude's is that one's", () => {
  const members = { time: "2021-01-02", lat: 1, lon: 2, magnitude: 3.5, type: "MLv" };
  const csv = table(Object.keys(members).join(), Object.values(members).join());
  for (const file of [csv, JSON.stringify([members])]) {
    const { events, warnings, faults } = readFile(file);
    expect([faults, warnings.length]).toEqual([[], 1]);
    expect(events).toMatchObject([{ magnitude: 3.5, magnitude_type: "MLv" }]);
    expect(events[0]).not.toHaveProperty("event_type");
  }
});
