import { describe, expect, test } from "vitest";
import { declusterBody, methodIn } from "#services/console/features/analytics/decluster-methods.ts";
import { factsOf } from "#services/console/features/analytics/facts.ts";
import { csvOfList } from "#services/console/features/analytics/list-csv.ts";
import { PARAMETERS, parameterText } from "#services/console/features/analytics/parameters.ts";
import { alongOf, methodOf } from "#services/console/features/analytics/section-along.ts";

describe("an analysis", () => {
  test("is saved as CSV, a list of it with quotes where they are needed, without the lists in its rows", () => {
    const bins = [
      { magnitude: 1.5, count: 2, points: [1] },
      { magnitude: 1.6, note: 'a "b", c', points: [] },
    ];
    expect(csvOfList({ bins }, "bins")).toBe(
      'magnitude,count,note\r\n1.5,2,\r\n1.6,,"a ""b"", c"\r\n',
    );
    expect(csvOfList({ bins, series: [{ b: null }] }, "series")).toBe("b\r\n\r\n");
    expect(csvOfList({ bins: [] }, "bins")).toBeNull();
  });

  test("is told in the field's names, numbers as far as their errors let them be known", () => {
    const estimate = {
      mc: 1.6,
      n: 6152,
      b: 0.9235871922673666,
      sigma: 0.04285465455735956,
      bUnbiased: 0.9220244389809583,
      aAnnual: 3.473890022475241,
      rate: 99.11754002469715,
      parts: [],
    };
    expect(factsOf("b-value", estimate)).toEqual([
      { name: "Mc", text: "1.6" },
      { name: "Events used", text: "6,152" },
      { name: "b", text: "0.92 ± 0.04" },
      { name: "b, unbiased", text: "0.92" },
      { name: "a, annual (log₁₀ of M ≥ 0)", text: "3.47" },
      { name: "Rate of M ≥ Mc, per year", text: "99.1" },
    ]);
  });

  test("has its own words where another calls something else alike", () => {
    expect(factsOf("completeness", { p: 0.2, sigma: 0.19 })).toEqual([
      { name: "Probability", text: "0.2" },
      { name: "Detection fails over", text: "0.19 magnitude units" },
    ]);
    expect(factsOf("omori", { K: -2, p: 1.1, sigmaP: null })).toEqual([
      { name: "K", text: "\u22122 events · days^(p−1)" },
      { name: "p", text: "1.1" },
    ]);
    expect(factsOf("moment", { total: 1_873_112_854_920_000_000, largestShare: 0.949 })).toEqual([
      { name: "Total moment", text: "1.87 · 10¹⁸ N·m" },
      { name: "Its part of the total", text: "94.9 %" },
    ]);
    expect(factsOf("quality", { q: { mean: 73.3256, grades: { A: 4 } } })).toEqual([
      { name: "Quality Q, mean", text: "73.3 of 100" },
    ]);
  });

  test("tells its parameters by the labels of their fields, with units", () => {
    const { binWidth, mcMethod, months, years } = PARAMETERS;
    expect(parameterText("binWidth", 0.1, [binWidth])).toEqual({ label: "Bin width", text: "0.1" });
    expect(parameterText("mcMethod", "maxc", [mcMethod]).text).toBe("Maximum curvature");
    expect(parameterText("mcMethod", "emr", []).text).toBe("Entire magnitude range");
    expect(parameterText("bin", "month", [months]).text).toBe("Month");
    expect(parameterText("bin", "month", [years]).text).toBe("Month");
    expect(parameterText("bin", "year", [months]).text).toBe("Year");
    expect(parameterText("seed", 1, [])).toEqual({ label: "Seed of what is drawn", text: "1" });
    expect(parameterText("other", true, [])).toEqual({ label: "other", text: "yes" });
  });
});

describe("a declustering", () => {
  test("is asked for by the method and the parameters of its own that the address has", () => {
    const { method, typed } = methodIn(
      new URLSearchParams("method=reasenberg&tau0=2&rfact=8&window=gruenthal&df="),
    );
    expect(declusterBody(method, typed)).toEqual({ method: "reasenberg", tau0: 2, rfact: 8 });
    const windows = methodIn(new URLSearchParams("window=gruenthal&linked=true"));
    expect(declusterBody(windows.method, windows.typed)).toEqual({
      method: "gardner-knopoff",
      window: "gruenthal",
      linked: true,
    });
  });

  test("leaves it to the service to refuse what is no number", () => {
    const { method, typed } = methodIn(new URLSearchParams("method=nearest-neighbour&b=one"));
    expect(declusterBody(method, typed)).toEqual({ method: "nearest-neighbour", b: "one" });
  });
});

describe("a depth section", () => {
  const centre = { latitude: -38, longitude: 176 };

  test("is along what the address says, a profile through the events' middle unless it names a point", () => {
    const along = (query: string) => alongOf(new URLSearchParams(query), centre);
    expect(along("")).toBe("longitude");
    expect(along("along=latitude")).toBe("latitude");
    expect(along("along=profile&azimuth=120&halfWidth=-5")).toEqual({
      latitude: -38,
      longitude: 176,
      azimuth: 120,
      halfWidthKm: 50,
    });
  });

  test("says what is drawn", () => {
    expect(methodOf(alongOf(new URLSearchParams("along=profile"), centre))).toBe(
      "Depth by distance along the great circle through \u221238°, 176° with azimuth 90°, of events within 50 km of it",
    );
  });
});
