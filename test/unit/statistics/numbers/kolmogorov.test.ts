import { describe, expect, it } from "vitest";
import {
  distanceFromUniform,
  kolmogorovP,
} from "#services/domain/statistics/numbers/kolmogorov.ts";

describe("Kolmogorov's test", () => {
  it("the distance is the largest step beside the diagonal", () => {
    expect(distanceFromUniform([0.5])).toBe(0.5);
    expect(distanceFromUniform([0.25, 0.75])).toBe(0.25);
    expect(distanceFromUniform([0.9, 0.95, 1])).toBeCloseTo(0.9, 15);
    expect(distanceFromUniform([])).toBe(0);
  });

  it("has the critical values of the tables for many draws", () => {
    expect(kolmogorovP(1.2238 / Math.sqrt(1e6), 1e6)).toBeCloseTo(0.1, 3);
    expect(kolmogorovP(1.3581 / Math.sqrt(1e6), 1e6)).toBeCloseTo(0.05, 3);
    expect(kolmogorovP(1.6276 / Math.sqrt(1e6), 1e6)).toBeCloseTo(0.01, 3);
  });

  it("has those for 20 draws within Stephens' error", () => {
    expect(kolmogorovP(0.294, 20)).toBeCloseTo(0.05, 2);
    expect(kolmogorovP(0.356, 20)).toBeCloseTo(0.01, 2);
  });

  it("is certain for no distance", () => {
    expect(kolmogorovP(0, 100)).toBe(1);
    expect(kolmogorovP(1, 100)).toBeCloseTo(0, 15);
  });
});
