import { describe, expect, test } from "vitest";
import { csvOf } from "#services/console/pages/analytics/analysis.ts";
import { factsOf } from "#services/console/pages/analytics/facts.ts";

describe("an analysis", () => {
  test("is saved as CSV: its bins, else its series, with quotes where they are needed", () => {
    expect(
      csvOf({
        bins: [
          { magnitude: 1.5, count: 2 },
          { magnitude: 1.6, note: 'a "b", c' },
        ],
      }),
    ).toBe('magnitude,count,note\r\n1.5,2,\r\n1.6,,"a ""b"", c"\r\n');
    expect(csvOf({ series: [{ b: null }] })).toBe("b\r\n\r\n");
    expect(csvOf({ bins: [] })).toBeNull();
  });

  test("is told in the field's names, numbers with their errors", () => {
    expect(factsOf({ mc: 1.9, b: 0.93901, sigma: 0.011667, n: 6152, parts: [] })).toEqual([
      { name: "Mc", text: "1.9" },
      { name: "b", text: "0.939 ± 0.01167" },
      { name: "n", text: "6,152" },
    ]);
    expect(factsOf({ p: 0.2 })).toEqual([{ name: "Probability", text: "0.2" }]);
    expect(factsOf({ K: -2, p: 1.1, sigmaP: null })).toEqual([
      { name: "K", text: "\u22122 events · days^(p−1)" },
      { name: "p", text: "1.1" },
    ]);
  });
});
