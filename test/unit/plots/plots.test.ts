import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { legendPlaces, linesOf, NOTE_SIZE, textWidth } from "#contracts/plots/layout.ts";
import {
  logTicks,
  powerOfTen,
  roundedBy,
  significant,
  withError,
} from "#contracts/plots/numbers.ts";
import type { PlotName, Plots } from "#infra/plots/charts.ts";
import { drawPlot, renderPng, svgText } from "#infra/plots/plot.ts";
import { plotAnswers } from "../../support/plots/plot-answers.ts";
import { readSvg } from "../../support/plots/read-svg.ts";
import { testRows } from "../../support/test-rows.ts";

const answers = plotAnswers();
const caption = {
  catalogue: "Kaikōura <&> friends",
  version: 7,
  citation: "GNS Science (2024): Kaikōura. Version 7.",
  theme: "light",
} as const;

function drawn<N extends PlotName>(name: N, changes: Partial<Plots[N]> = {}) {
  return readSvg(drawPlot(name, { ...answers[name], ...changes }, caption));
}

const filled = (bins: readonly { count: number }[] = []) =>
  bins.filter(({ count }) => count > 0).length;

describe("what a plot says", () => {
  test("the frequency–magnitude distribution has its axes, b ± σ, Mc, n and a mark for each filled bin", () => {
    const { texts, marks } = drawn("magnitude-frequency");
    const { bins } = answers["magnitude-frequency"].frequency;
    expect(texts).toEqual(expect.arrayContaining(["Magnitude", "Number of events"]));
    expect(texts).toEqual(
      expect.arrayContaining(["b = 0.997 ± 0.013", "Mc = 1.6", "n = 5,530", "10⁰", "10⁴"]),
    );
    expect(marks("discs")).toBe(filled(bins) + (bins?.length ?? 0));
    expect(marks("line")).toBe(1);
  });

  testRows(
    "has a mark for each filled bin and names its axes",
    [
      ["completeness", "bars", answers.completeness.completeness.bins, "Goodness of fit, R (%)"],
      ["rates", "bars", answers.rates.rates.bins, "Events per month"],
      ["depths", "bars", answers.depths.depths.bins, "Depth (km)"],
      ["omori", "discs", answers.omori.omori.bins, "Time after the main event (days)"],
      ["density", "bars", answers.density.density.bins, "Longitude"],
    ] as const,
    (name, mark, bins, label) => {
      const { texts, marks } = drawn(name);
      expect(marks(mark)).toBe(filled(bins));
      expect(texts).toContain(label);
    },
  );

  test("nearest neighbours have a mark for each filled bin and each cell", () => {
    const { texts, marks } = drawn("nearest-neighbour");
    const { bins, series = [] } = answers["nearest-neighbour"].neighbours;
    expect(marks("bars")).toBe(filled(bins) + series.length);
    expect(texts).toContain("Nearest-neighbour distance, log₁₀ η");
    expect(texts).toContain("Rescaled time, log₁₀ T");
  });

  test("magnitudes over time have a dot for each event, and depths for those that have one", () => {
    const { texts, marks } = drawn("time-magnitude");
    const events = answers["time-magnitude"].events.series ?? [];
    const located = events.filter(({ depth }) => depth !== null);
    expect(marks("discs")).toBe(events.length + located.length);
    expect(texts).toEqual(
      expect.arrayContaining([
        "Magnitude",
        "Depth (km)",
        "Time (UTC)",
        "Mc = 3",
        "b = 0.980 ± 0.012",
      ]),
    );
  });

  test("the decay of aftershocks has its parameters with their errors", () => {
    const { texts } = drawn("omori");
    expect(texts).toEqual(
      expect.arrayContaining(["K = 66 ± 5", "c = 0.040 ± 0.011 days", "p = 1.07 ± 0.03"]),
    );
  });

  testRows("names catalogue, version and citation", Object.keys(answers) as PlotName[], (name) => {
    const { texts } = drawn(name);
    expect(texts.join(" ")).toContain("Kaikōura <&> friends, version 7");
    expect(texts).toContain("GNS Science (2024): Kaikōura. Version 7.");
  });
});

describe("as narrow as a telephone", () => {
  const width = 320;
  const citation = `GNS Science. Version 7. https://example.org/api/catalogues/${"0198f7a2".repeat(6)}`;

  testRows("keeps all of its texts", Object.keys(answers) as PlotName[], (name) => {
    const svg = drawPlot(name, answers[name], { ...caption, citation, width });
    expect(readSvg(svg).width).toBe(width);
    const notes = svg.slice(svg.lastIndexOf("<g ")).matchAll(/<text x="(\d+)"[^>]*>([^<]*)</g);
    const ends = [...notes].map(
      ([, x, text = ""]) => Number(x) + NOTE_SIZE * textWidth(text.replaceAll(/&\w+;/g, "&")),
    );
    expect(ends.length).toBeGreaterThan(2);
    for (const end of ends) expect(end).toBeLessThanOrEqual(width);
  });
});

describe("without an estimate", () => {
  const reason = "too few events";
  const none = { estimate: null, reason, n: 1, required: 50, bins: [], series: [] };
  const empty: Plots = {
    "magnitude-frequency": {
      frequency: { ...answers["magnitude-frequency"].frequency, ...none },
      fit: { ...answers["magnitude-frequency"].fit, ...none },
    },
    completeness: {
      completeness: { ...answers.completeness.completeness, ...none },
      goodness: { ...answers.completeness.goodness, ...none },
      stability: { ...answers.completeness.stability, ...none },
    },
    rates: { rates: { ...answers.rates.rates, ...none, series: undefined } },
    "time-magnitude": {
      events: { ...answers["time-magnitude"].events, ...none },
      fit: { ...answers["time-magnitude"].fit, ...none },
    },
    depths: { depths: { ...answers.depths.depths, ...none, series: undefined } },
    omori: { omori: { ...answers.omori.omori, ...none, series: undefined } },
    density: { density: { ...answers.density.density, ...none, series: undefined } },
    "nearest-neighbour": { neighbours: { ...answers["nearest-neighbour"].neighbours, ...none } },
  };

  testRows("says why there is none", Object.keys(empty) as PlotName[], (name) => {
    const { texts } = readSvg(drawPlot(name, empty[name], caption));
    expect(texts.join("\n")).toContain(reason);
    expect(texts.join(" ")).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe("a text of a plot", () => {
  test("is broken at its spaces", () => {
    expect(linesOf("one two three four", textWidth("one two"))).toEqual([
      "one two",
      "three",
      "four",
    ]);
  });

  test("begins another row of the legend where the row has no room for it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 80 })),
        fc.integer({ min: 80, max: 200 }),
        (widths, width) => {
          const places = legendPlaces(widths, width);
          for (const [i, { x, row }] of places.entries()) {
            expect(x + (widths[i] ?? 0)).toBeLessThanOrEqual(width);
            const before = places[i - 1];
            if (before?.row === row) expect(x).toBeGreaterThan(before.x + (widths[i - 1] ?? 0));
          }
        },
      ),
    );
  });
});

describe("marks of powers of ten", () => {
  const textsOf = (low: number, high: number) =>
    logTicks(low, high).flatMap(({ text }) => text ?? []);

  test("are named where they are whole powers, and 2- and 5-folds where these are few", () => {
    expect(textsOf(1, 10)).toEqual(["1", "2", "5", "10"]);
    expect(textsOf(0.1, 1_000)).toEqual(["0.1", "1", "10", "100", "1,000"]);
    expect(textsOf(1e4, 1e6)).toEqual(["10⁴", "3 · 10⁴", "10⁵", "3 · 10⁵", "10⁶"]);
    expect(textsOf(1, 1e20).length).toBeLessThan(10);
  });

  test("lie within their limits, in order", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -6, max: 6, noNaN: true }),
        fc.double({ min: 0.1, max: 12, noNaN: true }),
        (power, decades) => {
          const [low, high] = [10 ** power, 10 ** (power + decades)];
          const places = logTicks(low, high).map(({ at }) => at);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          for (const at of places) {
            expect(at).toBeGreaterThanOrEqual(low * (1 - 1e-8));
            expect(at).toBeLessThanOrEqual(high * (1 + 1e-8));
          }
        },
      ),
    );
  });
});

describe("a number", () => {
  test("has the first digit of its uncertainty, two where it begins with 1, and as many decimals as it", () => {
    expect(withError(0.9235871922673666, 0.04285465455735956)).toBe("0.92 ± 0.04");
    expect(withError(0.93901, 0.011667)).toBe("0.939 ± 0.012");
    expect(withError(170.71712, 73.89634)).toBe("170 ± 70");
    expect(withError(1234.5, 837)).toBe("1200 ± 800");
    expect(withError(-1.26, 0.0996)).toBe("\u22121.26 ± 0.10");
    expect(withError(1.9996, 0.2032)).toBe("2.0 ± 0.2");
    expect(withError(0.9981, 0.0022)).toBe("0.998 ± 0.002");
    expect(withError(6.1, 0.1)).toBe("6.1 ± 0.1");
    expect(withError(33.4, 10)).toBe("33 ± 10");
    expect(withError(1.1, null)).toBe("1.1");
    expect(withError(0.93587, 0)).toBe("0.936");
  });

  test("rounded by its error is not farther from itself than half of that", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1_000, max: 1_000, noNaN: true }),
        fc.double({ min: 1e-6, max: 500, noNaN: true }),
        (value, sigma) => {
          const told = Number(roundedBy(sigma, value).replace("\u2212", "-"));
          expect(Math.abs(told - value)).toBeLessThanOrEqual(sigma * 0.5 + 1e-9);
        },
      ),
    );
  });

  test("is told by a power of ten where it is large or small", () => {
    expect(significant(1.873e18, 3)).toBe("1.87 · 10¹⁸");
    expect(significant(1e-7)).toBe("10⁻⁷");
    expect(significant(9.9996e6, 4)).toBe("10⁷");
    expect(significant(-0.25)).toBe("\u22120.25");
    expect(significant(17_397, 5)).toBe("17,397");
    expect(significant(0)).toBe("0");
    expect(powerOfTen(-12)).toBe("10⁻¹²");
  });
});

test("texts with characters that XML cannot express are drawn, with a mark in their place", () => {
  const size = { xmlns: "http://www.w3.org/2000/svg", width: 100, height: 20 };
  const text = "Mw\f\u0016\ud800, M<L";
  const svg = svgText(["svg", size, ["text", { x: 0, y: 10, "aria-label": "a\u0000b" }, text]]);
  expect(svg).toContain("Mw\ufffd\ufffd\ufffd, M&lt;L");
  expect(Buffer.from(renderPng(svg, 1)).subarray(1, 4).toString()).toBe("PNG");
});
