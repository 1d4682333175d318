import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { flinnEngdahlNumber, flinnEngdahlRegion } from "#infra/geography/flinn-engdahl.ts";
import { testRows } from "../../support/test-rows.ts";

type Point = { readonly latitude: string; readonly longitude: string; readonly number: string };

/** What ObsPy says; made by flinn-engdahl.py beside it. */
const FIXTURE = join(import.meta.dirname, "../../fixtures/geography/flinn-engdahl.csv");
const POINTS: (Point & { readonly name: string })[] = parse(readFileSync(FIXTURE), {
  columns: true,
});

/** Numbers that the revision of 1995 gave up. */
const GIVEN_UP = [172, 299, 550];

describe("the Flinn-Engdahl region", () => {
  test("the Flinn-Engdahl region of thousands of places is ObsPy's", () => {
    expect(POINTS.length).toBeGreaterThan(3500);
    for (const { latitude, longitude, number } of POINTS) {
      const found = flinnEngdahlNumber(Number(latitude), Number(longitude));
      expect(found, `${latitude} ${longitude}`).toBe(Number(number));
    }
  });

  test("the Flinn-Engdahl region has ObsPy's name, each of all 754", () => {
    const named = POINTS.filter(({ name }) => name !== "");
    expect(named).toHaveLength(757 - GIVEN_UP.length);
    for (const { latitude, longitude, name } of named) {
      expect(flinnEngdahlRegion(Number(latitude), Number(longitude))).toBe(name);
    }
  });

  test("the Flinn-Engdahl region is each from 1 to 757 somewhere, without those given up in 1995", () => {
    const found = new Set<number>();
    for (let latitude = -89.5; latitude < 90; latitude++) {
      for (let longitude = -179.5; longitude < 180; longitude++) {
        found.add(flinnEngdahlNumber(latitude, longitude));
      }
    }
    const all = Array.from({ length: 757 }, (_, i) => i + 1);
    expect([...found].sort((a, b) => a - b)).toEqual(all.filter((n) => !GIVEN_UP.includes(n)));
  });

  testRows(
    "a place has its Flinn-Engdahl region",
    [
      [48, 12, 543, "GERMANY"],
      [-30, -60, 133, "NORTHEASTERN ARGENTINA"],
      [-41.29, 174.78, 163, "COOK STRAIT, NEW ZEALAND"],
      [13.5, -15.5, 746, "SENEGAL - GAMBIA REGION"],
    ],
    (latitude, longitude, number, name) => {
      expect(flinnEngdahlNumber(latitude, longitude)).toBe(number);
      expect(flinnEngdahlRegion(latitude, longitude)).toBe(name);
    },
  );

  test("the Flinn-Engdahl region is the same at 180° and −180°, and at either zero", () => {
    for (let latitude = -90; latitude <= 90; latitude += 0.5) {
      const east = flinnEngdahlNumber(latitude, 180);
      expect(flinnEngdahlNumber(latitude, -180)).toBe(east);
      expect(flinnEngdahlNumber(latitude, -0)).toBe(flinnEngdahlNumber(latitude, 0));
    }
    expect(flinnEngdahlNumber(-0, 30)).toBe(flinnEngdahlNumber(0, 30));
  });

  test("the Flinn-Engdahl region goes from a whole degree to the next, away from zero", () => {
    for (const sign of [1, -1]) {
      for (let degree = 0; degree < 90; degree++) {
        const at = flinnEngdahlNumber(sign * degree || sign * 1e-9, 20.5);
        expect(flinnEngdahlNumber(sign * (degree + 0.999999), 20.5)).toBe(at);
      }
    }
  });

  testRows(
    "a place that is none is refused",
    [
      [90.001, 0],
      [0, 180.001],
      [0, -181],
      [Number.NaN, 0],
      [0, Number.NaN],
    ],
    (latitude, longitude) => {
      expect(() => flinnEngdahlNumber(latitude, longitude)).toThrow(RangeError);
    },
  );
});
