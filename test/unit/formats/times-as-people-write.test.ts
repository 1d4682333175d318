import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFile, table } from "./read-file.ts";

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
