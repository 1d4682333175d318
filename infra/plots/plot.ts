import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import { type Drawn, drawChart } from "#contracts/plots/chart.ts";
import { frameWidth, PLOT_WIDTH } from "#contracts/plots/layout.ts";
import { xmlAttribute, xmlText } from "../formats/xml/xml.ts";
import { CHARTS, notesOf, type PlotName, type Plots } from "./charts.ts";

/** What stands on every plot beside its frame. */
export type Caption = {
  /** The catalogue's name. */
  readonly catalogue: string;
  readonly version: number;
  /** How the version is cited, one line. */
  readonly citation: string;
  readonly theme: "light" | "dark";
  /** Px; absent, the usual one. */
  readonly width?: number;
};

/**
 * A plot as an SVG document, with fonts by their names alone. Below it stand what was asked of which
 * events, and how they are cited.
 */
export function drawPlot<N extends PlotName>(name: N, answers: Plots[N], caption: Caption): string {
  const { catalogue, version, citation, theme, width = PLOT_WIDTH } = caption;
  const { of, notes = [], ...chart } = CHARTS[name](answers, { theme, wide: frameWidth(width) });
  const source = [`${catalogue}, version ${version}`, ...notes, ...notesOf(of)].join(" · ");
  const look = { label: chart.title, theme, width };
  return svgText(drawChart({ ...chart, notes: [source, citation] }, look));
}

export function svgText([tag, attributes, ...children]: Drawn): string {
  const set = Object.entries(attributes).map(([name, value]) => {
    return ` ${name}="${xmlAttribute(String(value))}"`;
  });
  const content = children.map((child) => {
    return typeof child === "string" ? xmlText(child) : svgText(child);
  });
  return `<${tag}${set.join("")}>${content.join("")}</${tag}>`;
}

const FONT_FILES = ["400Regular/SourceSans3_400Regular", "600SemiBold/SourceSans3_600SemiBold"].map(
  (name) => fileURLToPath(import.meta.resolve(`@expo-google-fonts/source-sans-3/${name}.ttf`)),
);

/** A plot as PNG, with a font of the project's own. @param scale pixels of the picture by those of the SVG */
export function renderPng(svg: string, scale: number): Uint8Array {
  const font = {
    ...{ loadSystemFonts: false, fontFiles: FONT_FILES },
    defaultFontFamily: "Source Sans 3",
  };
  return new Resvg(svg, { font, fitTo: { mode: "zoom", value: scale } }).render().asPng();
}
