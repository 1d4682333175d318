import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFile, table } from "./read-file.ts";

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
