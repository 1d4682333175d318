import { readFileSync, writeFileSync } from "node:fs";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import type { PlotName } from "#infra/plots/charts.ts";
import { drawPlot, renderPng } from "#infra/plots/plot.ts";
import { plotAnswers } from "../../support/plots/plot-answers.ts";
import { testRows } from "../../support/test-rows.ts";

const CAPTION = {
  catalogue: "Synthetic sequences",
  version: 3,
  citation:
    "Park; Miller (2026): Synthetic sequences. Version 3. Dataset. https://example.org/api/catalogues/0198f7a2-3c1b-7d44-9a51-ffb3a6d2c011/versions/3",
};

const answers = plotAnswers();
const drawn = (name: PlotName, theme: "light" | "dark") =>
  drawPlot(name, answers[name], { ...CAPTION, theme });

/** Looked at in a browser, then kept by KEEP_PICTURES=true. */
testRows("a plot is drawn as it is kept", Object.keys(answers) as PlotName[], (name) => {
  const svg = drawn(name, "light");
  const file = new URL(`../../fixtures/plots/${name}.svg`, import.meta.url);
  if (process.env["KEEP_PICTURES"] === "true") writeFileSync(file, svg);
  expect(svg === readFileSync(file, "utf8"), "KEEP_PICTURES=true keeps what is drawn now").toBe(
    true,
  );
});

testRows("dark ground changes colours alone", Object.keys(answers) as PlotName[], (name) => {
  const colourless = (svg: string) => svg.replaceAll(/(?:#[\da-f]{6}|rgb\([\d,]+\))"/g, '"');
  const [light, dark] = [drawn(name, "light"), drawn(name, "dark")];
  expect(dark).not.toBe(light);
  expect(colourless(dark) === colourless(light)).toBe(true);
});

test("a picture is as large as its scale says", () => {
  const svg = drawn("depths", "light");
  const [once, twice] = [1, 2].map((scale) => PNG.sync.read(Buffer.from(renderPng(svg, scale))));
  expect(once?.width).toBe(720);
  expect([twice?.width, twice?.height]).toEqual([1440, 2 * (once?.height ?? 0)]);
});
