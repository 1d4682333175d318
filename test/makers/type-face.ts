/**
 * Makes the console's type face from Adobe's Source Sans 3, the variable file `SourceSans3VF-Upright.ttf`
 * of its package `source-sans`:
 *
 *     node test/makers/type-face.ts < SourceSans3VF-Upright.ttf
 *
 * The letters of the console are some hundreds of its thousands. Its licence (ui/type/LICENSE.txt) reserves the
 * name "Source" for the whole face: the part has another name.
 */
import { writeFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import subsetFont from "subset-font";

const FILE = new URL("../../services/console/ui/type/console-sans.woff2", import.meta.url);

/** First and last of each range of letters. */
const RANGES: readonly (readonly [number, number])[] = [
  // Basic Latin, Latin-1, Latin Extended-A with the macrons of "Taupō".
  [0x20, 0x7e],
  [0xa0, 0x17f],
  // Greek, of parameters.
  [0x391, 0x3a1],
  [0x3a3, 0x3a9],
  [0x3b1, 0x3c9],
  // Dashes, quotation marks, ellipsis, per mille, primes.
  [0x2010, 0x2027],
  [0x2030, 0x203a],
];
const SIGNS = "ȘșȚț\u2009\u202f€™←↑→↓↔−×÷±≤≥≈≠∞√∂∆∑⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉⁻⁺✓✗▲▼▾▸●○■□◆";

/** Kerning, accents, forms of languages, and figures of one width. */
const FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum"];

/** Of one length, so that the table of names keeps its form. */
const NAMES = [
  ["Source Sans 3", "Console Sans "],
  ["SourceSans3", "ConsoleSans"],
] as const;

const text =
  SIGNS +
  RANGES.map(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)).join(""),
  ).join("");
const options = { noHinting: true, keepFeatures: FEATURES };
const part = await subsetFont(await buffer(process.stdin), text, {
  ...options,
  targetFormat: "sfnt",
});
for (const [old, name] of NAMES) {
  rename(part, Buffer.from(old, "latin1"), Buffer.from(name, "latin1"));
  rename(part, Buffer.from(old, "utf16le").swap16(), Buffer.from(name, "utf16le").swap16());
}
const face = await subsetFont(part, text, { ...options, targetFormat: "woff2" });
await writeFile(FILE, face);
process.stdout.write(`${face.length} bytes\n`);

/** Writes one name over every occurrence of another. */
function rename(font: Buffer, old: Buffer, name: Buffer): void {
  for (let at = font.indexOf(old); at >= 0; at = font.indexOf(old, at)) name.copy(font, at);
}
