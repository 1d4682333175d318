/** Entry point of the thread that draws: the libraries for it are large, and stay in the thread. */

import type { PlotFormat } from "#contracts/http/analytics/plots.ts";
import type { PlotName, Plots } from "#infra/plots/charts.ts";
import { type Caption, drawPlot, renderPng } from "#infra/plots/plot.ts";
import { workerTask } from "#infra/threads/task.ts";

export type PlotTask = {
  readonly name: PlotName;
  /** By name, as JSON. */
  readonly answers: Readonly<Record<string, Uint8Array>>;
  readonly caption: Caption;
  readonly format: PlotFormat;
  /** Pixels of a PNG by those of the SVG. */
  readonly scale: number;
};

export const draw = workerTask(({ name, answers, caption, format, scale }: PlotTask) => {
  const parsed = Object.entries(answers).map(([answer, json]) => [
    answer,
    JSON.parse(Buffer.from(json).toString()),
  ]);
  const svg = drawPlot(name, Object.fromEntries(parsed) as Plots[PlotName], caption);
  return format === "svg" ? Buffer.from(svg) : renderPng(svg, scale);
});
