import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import { FONT } from "./theme.ts";

const FONT_FILES = ["400Regular/SourceSans3_400Regular", "600SemiBold/SourceSans3_600SemiBold"].map(
  (name) => fileURLToPath(import.meta.resolve(`@expo-google-fonts/source-sans-3/${name}.ttf`)),
);

/** A plot as PNG, with a font of the project's own. @param scale pixels of the picture by those of the SVG */
export function renderPng(svg: string, scale: number): Uint8Array {
  const font = { loadSystemFonts: false, fontFiles: FONT_FILES, defaultFontFamily: FONT };
  return new Resvg(svg, { font, fitTo: { mode: "zoom", value: scale } }).render().asPng();
}
