import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearness, thresholdsOf, widened } from "#services/domain/merge/thresholds.ts";

const UNIT = 1_000_000_000;

describe("thresholds", () => {
  test("thresholds hold exactly the microseconds that the seconds name", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_600_000_000 }), (micros) => {
        expect(thresholdsOf(micros / 1e6, 1).micros).toBe(micros);
      }),
    );
    expect(thresholdsOf(0.000249, 1).micros).toBe(249);
  });

  test("thresholds leave out a microsecond that is begun only", () => {
    expect(thresholdsOf(0.0000019, 1).micros).toBe(1);
    expect(thresholdsOf(16.0000006, 1).micros).toBe(16_000_000);
  });

  test("thresholds widen both alike", () => {
    expect(widened(thresholdsOf(16, 50), 1.5)).toEqual({ micros: 24_000_000, kilometres: 75 });
  });
});

describe("nearness", () => {
  test("nearness is the root of the sum of the squared shares of the thresholds", () => {
    const thresholds = thresholdsOf(10, 100);
    expect(nearness(0, 0, thresholds)).toBe(0);
    expect(nearness(3_000_000, 40, thresholds)).toBe(0.5 * UNIT);
    expect(nearness(-3_000_000, 40, thresholds)).toBe(0.5 * UNIT);
    expect(nearness(10_000_000, 100, thresholds)).toBe(Math.round(Math.SQRT2 * UNIT));
  });

  test("nearness takes 0/0 for 0", () => {
    expect(nearness(0, 40, thresholdsOf(0, 100))).toBe(0.4 * UNIT);
    expect(nearness(3_000_000, 0, thresholdsOf(10, 0))).toBe(0.3 * UNIT);
    expect(nearness(0, 0, thresholdsOf(0, 0))).toBe(0);
  });

  test("nearness does not tell apart what differs by the rounding of decimal coordinates", () => {
    const thresholds = thresholdsOf(16, 50);
    expect(nearness(0, 0.3 - 0.2, thresholds)).toBe(nearness(0, 0.1, thresholds));
  });
});
