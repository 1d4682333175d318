import { describe, expect } from "vitest";
import { testRows } from "../support/test-rows.ts";
import { agrees, valueAt } from "./common.ts";

describe("a place in an answer", () => {
  const answer = { estimate: { n: 3 }, bins: [{ magnitude: 1.7, count: 5 }, { magnitude: 1.8 }] };

  testRows(
    "answers of other programs are read",
    [
      ["estimate.n", 3],
      ["bins.length", 2],
      ["bins[1].magnitude", 1.8],
      ["bins[magnitude=1.7].count", 5],
      ["bins[magnitude=9].count", undefined],
      ["series[0].count", undefined],
    ],
    (place, value) => {
      expect(valueAt(answer, place)).toBe(value);
    },
  );
});

describe("a number agrees with what is expected to the digits that are written", () => {
  testRows(
    "results are compared",
    [
      ["0.938690", 0.9386904, true],
      ["0.938690", 0.93869054, true],
      ["0.938690", 0.9386906, false],
      ["1375", 1375, true],
      ["1375", 1376, false],
      ["5.39804e17", 5.398044e17, true],
      ["5.39804e17", 5.398046e17, false],
      ["-39.0", -39, true],
      ["2", undefined, false],
      ["2", null, false],
      ["2023-03-17", "2023-03-17", true],
    ],
    (expected, got, isRight) => {
      expect(agrees(expected, got)).toBe(isRight);
    },
  );
});
