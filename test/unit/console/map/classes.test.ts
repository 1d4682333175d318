import { describe, expect, test } from "vitest";
import { MINUS } from "#contracts/plots/number-text.ts";
import { classesOf, wantsLocalScale } from "#services/console/drawing/classes.ts";
import { densitySteps } from "#services/console/drawing/density.ts";
import {
  type Colour,
  diameterOf,
  disc,
  discScale,
  drawnDiameter,
  sizesOf,
  UNKNOWN_SIZE,
} from "#services/console/drawing/discs.ts";
import { nearest } from "#services/console/drawing/pick.ts";
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
  test("are told apart by magnitude: 4 pixels for M 2, 24 for M 6, 44 from M 8 on", () => {
    expect([2, 8, 9.5].map(diameterOf)).toEqual([4, 44, 44]);
    expect(diameterOf(6)).toBeCloseTo(24, 0);
    const magnitudes = [-3, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8].map(diameterOf);
    expect(magnitudes).toEqual(magnitudes.toSorted((a, b) => a - b));
    expect(Math.min(...magnitudes)).toBeGreaterThan(2);
    for (const magnitude of [3, 4, 5, 6, 7]) {
      expect(diameterOf(magnitude + 1) - diameterOf(magnitude)).toBeGreaterThan(3);
    }
  });

  const BLACK: Colour = [0, 0, 0];
  const [small, large] = sizesOf(Float32Array.of(3.4, 7));

  test("have their colour in the middle and the ring around; without a magnitude they are hollow", () => {
    const ink = { fill: [10, 20, 30], ring: [200, 0, 0], ratio: 1, scale: 1 } as const;
    const at = (size = 0, x = 0) => {
      const { dx, dy, rgba } = disc(size, ink);
      const n = dx.findIndex((value, i) => value === x && dy[i] === 0);
      return n < 0 ? null : [...rgba.subarray(4 * n, 4 * n + 4)];
    };
    expect(at(small)?.slice(0, 3)).toEqual([10, 20, 30]);
    expect(at(large)?.slice(0, 3)).toEqual([10, 20, 30]);
    expect(at(large, 16)?.slice(0, 3)).toEqual([200, 0, 0]);
    expect(at(large, 19)).toBeNull();
    expect(at(UNKNOWN_SIZE, 0)).toBeNull();
    expect(at(UNKNOWN_SIZE, 3)?.slice(0, 3)).toEqual([10, 20, 30]);
  });

  test("let through what lies under them, the large ones more of it", () => {
    const coverOf = (size = 0) => {
      const { dx, dy, rgba } = disc(size, { fill: BLACK, ring: BLACK, ratio: 1, scale: 1 });
      return rgba[4 * dx.findIndex((x, i) => x === 0 && dy[i] === 0) + 3] ?? 0;
    };
    expect(coverOf(small)).toBeLessThan(255);
    expect(coverOf(large)).toBeLessThan(coverOf(small));
    expect(coverOf(large)).toBeGreaterThan(80);
  });

  test("lie over each other by size: the smaller one is seen and picked through the larger", () => {
    const sizes = sizesOf(Float32Array.of(7, 3));
    const seen = {
      count: 2,
      x: Int32Array.of(0, 4),
      y: new Int32Array(2),
      index: Uint32Array.of(0, 1),
    };
    expect(nearest(seen, { x: 4, y: 0 }, 1, { sizes, scale: 1 })).toBe(1);
    expect(nearest(seen, { x: -8, y: 0 }, 1, { sizes, scale: 1 })).toBe(0);
  });

  test("are smaller on maps of the world", () => {
    expect(discScale(1)).toBeLessThan(0.7);
    expect(discScale(8)).toBe(1);
  });

  test("are larger in close views: the small ones most, the largest not, in the order of magnitudes", () => {
    const drawn = (magnitude: number) => drawnDiameter(diameterOf(magnitude), discScale(14));
    expect(drawn(2)).toBeGreaterThan(1.5 * diameterOf(2));
    expect(drawn(8)).toBe(diameterOf(8));
    const steps = Array.from({ length: 71 }, (_, i) => drawn(1 + i / 10));
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  });
});

describe("shades of a density", () => {
  test("begin at round numbers that ascend from 1 by about equal factors", () => {
    expect(densitySteps(100_000, 5)).toEqual([1, 10, 100, 1_000, 10_000]);
    expect(densitySteps(300, 5)).toEqual([1, 2, 10, 20, 100]);
    expect(densitySteps(1, 5)).toEqual([1, 2, 3, 4, 5]);
  });
});
