import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { NOTE_SIZE } from "#contracts/plots/layout.ts";
import { textWidth } from "#contracts/plots/text-width.ts";
import { drawPlot, type PlotName, type Plots } from "#infra/plots/draw-plot.ts";
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
    expect(marks("bins")).toBe(filled(bins));
    expect(marks("cumulative")).toBe(bins?.length);
    expect(marks("law")).toBe(1);
  });

  testRows(
    "has a mark for each filled bin and names its axes",
    [
      ["completeness", "bins", answers.completeness.completeness.bins, "Goodness of fit, R (%)"],
      ["rates", "bins", answers.rates.rates.bins, "Events per month"],
      ["depths", "bins", answers.depths.depths.bins, "Depth (km)"],
      ["omori", "bins", answers.omori.omori.bins, "Time after the main event (days)"],
      ["density", "bins", answers.density.density.bins, "Longitude"],
      [
        "nearest-neighbour",
        "bins",
        answers["nearest-neighbour"].neighbours.bins,
        "Nearest-neighbour distance, log₁₀ η",
      ],
    ] as const,
    (name, mark, bins, label) => {
      const { texts, marks } = drawn(name);
      expect(marks(mark)).toBe(filled(bins));
      expect(texts).toContain(label);
    },
  );

  test("magnitudes over time have a dot for each event, and depths for those that have one", () => {
    const { texts, marks } = drawn("time-magnitude");
    const events = answers["time-magnitude"].events.series ?? [];
    expect(marks("events")).toBe(events.length);
    expect(marks("depths")).toBe(events.filter(({ depth }) => depth !== null).length);
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
    const { document } = parseHTML(`<html><body>${svg}</body></html>`);
    expect(document.querySelector("svg")?.getAttribute("width")).toBe(String(width));
    const ends = [...document.querySelectorAll('[aria-label="source"] text')].map(
      (text) => Number(text.getAttribute("x")) + NOTE_SIZE * textWidth(text.textContent ?? ""),
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
