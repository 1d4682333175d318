import { describe, expect, test } from "vitest";
import { MINUS } from "#contracts/plots/number-text.ts";
import { classesOf, wantsLocalScale } from "#services/console/drawing/classes.ts";
import { densitySteps } from "#services/console/drawing/density.ts";
import { diameterOf, disc, UNKNOWN_SIZE } from "#services/console/drawing/discs.ts";
import { columnsOf } from "../support/columns.ts";

describe("classes of events", () => {
  test("of depths begin at 15, 40, 70, 150 and 300 km; what is not known has its own", () => {
    const depth = [-1, 14.9, 15, 40, 69, 70, 150, 299, 300, null];
    const { classOf, classes, isLocal } = classesOf(columnsOf({ depth }), "depth", "global", 0);
    expect([...classOf]).toEqual([0, 0, 1, 2, 2, 3, 4, 4, 5, 6]);
    expect(classes.map(({ label }) => label)).toEqual([
      "< 15",
      "15–40",
      "40–70",
      "70–150",
      "150–300",
      "≥ 300",
      "unknown",
    ]);
    expect(isLocal).toBe(false);
  });

  test("made for their depths hold about as many events each", () => {
    const depth = Array.from({ length: 600 }, (_, i) => 1 + i / 50);
    expect(wantsLocalScale(columnsOf({ depth }).depth)).toBe(true);
    const { classOf, isLocal } = classesOf(columnsOf({ depth }), "depth", "local", 0);
    expect(isLocal).toBe(true);
    const counts = Array.from({ length: 6 }, (_, kind) => classOf.filter((k) => k === kind).length);
    expect(Math.min(...counts)).toBeGreaterThan(60);
    expect(wantsLocalScale(columnsOf({ depth: [1, 20, 50, 100] }).depth)).toBe(false);
  });

  test("above sea level have a true minus", () => {
    const depth = Array.from({ length: 60 }, (_, i) => i / 20 - 2);
    const { classes } = classesOf(columnsOf({ depth }), "depth", "local", 0);
    const labels = classes.map(({ label }) => label);
    expect(labels.slice(0, 2)).toEqual([`< ${MINUS}1.5`, `${MINUS}1.5–${MINUS}1`]);
    expect(labels.join("")).not.toContain("-");
  });

  test("of ages are those of the last hour, day, week and month", () => {
    const now = Date.UTC(2026, 0, 31);
    const hours = [0.5, 2, 25, 24 * 8, 24 * 40];
    const time = hours.map((hour) => now - hour * 3_600_000);
    const { classOf } = classesOf(columnsOf({ time }), "age", "global", now);
    expect([...classOf]).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("discs", () => {
  test("grow from 5 pixels up to M 1 to 25 from M 8 on", () => {
    expect([-1, 1, 8, 9.5].map(diameterOf)).toEqual([5, 5, 25, 25]);
    const magnitudes = [2, 3, 4, 5, 6, 7].map(diameterOf);
    expect(magnitudes).toEqual(magnitudes.toSorted((a, b) => a - b));
  });

  test("have their colour in the middle and the ring around; without a magnitude they are hollow", () => {
    const at = (size: number, x: number) => {
      const { dx, dy, rgba } = disc(size, [10, 20, 30], [200, 0, 0], 1);
      const n = dx.findIndex((value, i) => value === x && dy[i] === 0);
      return n < 0 ? null : [...rgba.subarray(4 * n, 4 * n + 4)];
    };
    expect(at(11, 0)).toEqual([10, 20, 30, 255]);
    expect(at(11, 5)?.slice(0, 3)).not.toEqual([10, 20, 30]);
    expect(at(11, 7)).toBeNull();
    expect(at(UNKNOWN_SIZE, 0)).toBeNull();
    expect(at(UNKNOWN_SIZE, 3)?.slice(0, 3)).toEqual([10, 20, 30]);
  });

  test("cover their area", () => {
    for (const size of [5, 8, 13, 25]) {
      const { rgba } = disc(size, [0, 0, 0], [0, 0, 0], 1);
      const cover = rgba.reduce((sum, value, i) => (i % 4 === 3 ? sum + value / 255 : sum), 0);
      expect(Math.abs(cover / (Math.PI * (size / 2) ** 2) - 1)).toBeLessThan(0.06);
    }
  });
});

describe("shades of a density", () => {
  test("begin at round numbers that ascend from 1 by about equal factors", () => {
    expect(densitySteps(100_000, 5)).toEqual([1, 10, 100, 1_000, 10_000]);
    expect(densitySteps(300, 5)).toEqual([1, 2, 10, 20, 100]);
    expect(densitySteps(1, 5)).toEqual([1, 2, 3, 4, 5]);
  });
});
