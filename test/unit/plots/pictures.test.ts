import { readFileSync, writeFileSync } from "node:fs";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { describe, expect, test } from "vitest";
import { drawPlot, type PlotName, renderPng } from "#infra/plots/plot.ts";
import { plotAnswers } from "../../support/plots/plot-answers.ts";
import { testRows } from "../../support/test-rows.ts";

/** Half the size: enough to see whether something is amiss. */
const SCALE = 0.5;
/** The part of the pixels that may differ, by how edges are smoothed. */
const TOLERANCE = 0.002;

const CAPTION = {
  catalogue: "Synthetic sequences",
  version: 3,
  citation:
    "Park; Miller (2026): Synthetic sequences. Version 3. Dataset. https://example.org/api/catalogues/0198f7a2-3c1b-7d44-9a51-ffb3a6d2c011/versions/3",
};

const answers = plotAnswers();

/** Looked at, then kept by KEEP_PICTURES=true. */
describe.each(["light", "dark"] as const)("plots on %s ground", (theme) => {
  testRows("a plot is drawn as it is kept", Object.keys(answers) as PlotName[], (name) => {
    const svg = drawPlot(name, answers[name], { ...CAPTION, theme });
    const file = new URL(`../../fixtures/plots/${name}-${theme}.png`, import.meta.url);
    const png = renderPng(svg, SCALE);
    if (process.env["KEEP_PICTURES"] === "true") writeFileSync(file, png);
    const drawn = PNG.sync.read(Buffer.from(png));
    const kept = PNG.sync.read(readFileSync(file));
    expect([drawn.width, drawn.height]).toEqual([kept.width, kept.height]);
    const { width, height } = kept;
    const differing = pixelmatch(drawn.data, kept.data, undefined, width, height);
    expect(differing / (width * height)).toBeLessThan(TOLERANCE);
  });
});

test("a picture is as large as its scale says, and the same each time", () => {
  const svg = drawPlot("depths", answers.depths, { ...CAPTION, theme: "light" });
  expect(drawPlot("depths", answers.depths, { ...CAPTION, theme: "light" })).toBe(svg);
  const [once, twice] = [1, 2].map((scale) => PNG.sync.read(Buffer.from(renderPng(svg, scale))));
  expect(once?.width).toBe(720);
  expect([twice?.width, twice?.height]).toEqual([1440, 2 * (once?.height ?? 0)]);
});
