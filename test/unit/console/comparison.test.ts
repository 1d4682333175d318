import { describe, expect, test } from "vitest";
import { magnitudesChart } from "#services/console/features/compare/comparison-charts.ts";
import { addressOf, bodyOf, formIn } from "#services/console/features/compare/comparison-form.ts";

describe("a comparison", () => {
  test("stands in the address whole, and is asked for once both catalogues are known", () => {
    const form = formIn(new URLSearchParams("a=1&b=2&asOfA=3&eta=0.5"));
    expect(formIn(new URLSearchParams(addressOf(form).replace("/compare", "")))).toEqual(form);
    expect(bodyOf(form)).toEqual({
      a: "1",
      b: "2",
      asOfA: "3",
      timeThreshold: 10,
      distanceThreshold: 50,
      eta: 0.5,
    });
    expect(bodyOf(formIn(new URLSearchParams("a=1")))).toBeNull();
  });

  test("has its lines no farther than the magnitudes that they were made of", () => {
    const line = { slope: 0.9, intercept: 0.3, sigma: 0.1 };
    const estimate = {
      matched: 40,
      unmatched: { a: 0, b: 0 },
      nearThreshold: 0,
      residuals: { time: null, distance: null, depth: null, magnitude: null },
      range: { min: 2, max: 5 },
      ols: line,
      gor: line,
      theilSen: null,
    };
    const chart = magnitudesChart({ estimate }, [], { a: "A", b: "B" }, []);
    const marks = chart?.panels[0]?.marks ?? [];
    expect(marks).toHaveLength(3);
    expect(marks[1]).toMatchObject({
      name: "General orthogonal",
      points: [
        [2, 0.9 * 2 + 0.3],
        [5, 0.9 * 5 + 0.3],
      ],
    });
    const none = { ...estimate, range: null, ols: null, gor: null };
    expect(magnitudesChart({ estimate: none }, [], { a: "A", b: "B" }, [])).toBeNull();
  });
});
