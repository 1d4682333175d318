import { describe, expect, test } from "vitest";
import type { ColumnTarget } from "#contracts/seismic-event/named-columns.ts";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { readFile, table } from "./read-file.ts";

const REST = { lat: 1, lon: 2, depth: 3, mag: 4 };
const validate = createEventValidator({ nowMs: Date.UTC(2026, 0) });

/** The times, or faults, that these members make in each of the ways in. */
function readings(members: Readonly<Record<string, string | number>>) {
  const event = { ...members, ...REST };
  const text = table(Object.keys(event).join(";"), Object.values(event).join(";"));
  const sent = validate(event);
  return [
    ...[text, JSON.stringify([event])].map((content) => readFile(content).events[0]),
    sent.ok ? sent.record : undefined,
  ].map((record) => record && { time: record.time, extra: record.extra ?? null });
}

describe("a date beside parts of the time of day", () => {
  test.each([
    [{ date: "2020-01-05", hour: 12, minute: 5, second: 33.5 }, "2020-01-05T12:05:33.5Z"],
    [{ date: "2020/01/05", hour: 12 }, "2020-01-05T12:00:00Z"],
    [{ date: "15.01.2020", hour: 12, minute: 5 }, "2020-01-15T12:05:00Z"],
    [{ date: "2020-01-05", hour: "12:05:33" }, "2020-01-05T12:05:33Z"],
    [{ year: 2020, month: 1, day: 5, hour: "12:05:33" }, "2020-01-05T12:05:33Z"],
  ])("%j is %s in every way in", (members, time) => {
    expect(readings(members)).toEqual(Array(3).fill({ time, extra: null }));
  });

  test("parts beside a whole time are kept", () => {
    const whole = { date: "2020-01-05T01:02:03Z", hour: 12 };
    const kept = { time: "2020-01-05T01:02:03Z", extra: { hour: 12 } };
    expect(readings(whole)).toEqual(Array(3).fill(kept));
  });

  test("an hour that is none makes no time", () => {
    expect(readings({ date: "2020-01-05", hour: "noon" })).toEqual(Array(3).fill(undefined));
  });
});

test("a date beside a time of day in another zone makes no time, in every way in", () => {
  const members = { date: "2020-01-05", "Time (JST)": "12:05:33" };
  expect(readings(members)).toEqual(Array(3).fill(undefined));
  const sent = validate({ ...members, ...REST });
  expect(sent).toMatchObject({ errors: [{ message: expect.stringContaining("JST") }] });
});

describe("a column that is said to be the hour", () => {
  const columns = new Map<string, ColumnTarget>([["Heure", "hour"]]);

  test("may hold times of day", () => {
    const text = table("Date,Heure,lat,lon,depth,mag", "2020-01-05,12:05:33,1,2,3,4");
    const { events, warnings } = readFile(text, { columns });
    expect(events).toEqual([expect.objectContaining({ time: "2020-01-05T12:05:33Z" })]);
    expect(events[0]).not.toHaveProperty("extra");
    expect(warnings).toEqual([]);
  });

  test("is kept under its own name where there is a whole time", () => {
    const text = table("time,Heure,lat,lon,depth,mag", "2020-01-05T01:02:03Z,12:05:33,1,2,3,4");
    const { events } = readFile(text, { columns });
    expect(events).toMatchObject([{ time: "2020-01-05T01:02:03Z", extra: { Heure: "12:05:33" } }]);
    expect(events[0]?.extra).not.toHaveProperty("hour");
  });
});
