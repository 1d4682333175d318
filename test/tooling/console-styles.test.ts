import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const FOLDER = new URL("../../services/console/ui/style/", import.meta.url);
/** Where the scales are, and the order of the sheets. */
const SCALES = ["tokens.css", "icons.css"];
const NAMES = readdirSync(FOLDER).filter((name) => ![...SCALES, "main.css"].includes(name));

const textOf = (name: string) =>
  readFileSync(new URL(name, FOLDER), "utf8").replaceAll(/\/\*.*?\*\//gs, "");

/** Values that have a scale, where they stand by themselves. */
const RAW: Readonly<Record<string, RegExp>> = {
  "a colour":
    /#[0-9a-f]{3,8}\b(?=[^{]*;)|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|light-dark)\(|:[^;{]*\s(?:white|black|gr[ae]y|silver|red|green|blue|orange|yellow|navy)\b/i,
  "the size of letters": /font(?:-size)?:[^;]*[\d.]+(?:px|r?em|pt|%)/,
  "a type face": /font-family:\s*[^;]*,/,
  "the weight of letters": /font-weight:\s*\d/,
  "a layer": /z-index:\s*-?\d/,
  "the width of a line": /(?:border(?:-\w+)*|outline):\s*[\d.]+px/,
  "a corner": /border-radius:\s*[\d.]+px/,
  "a shadow": /box-shadow:[^;]*[1-9]\d*px/,
  "a duration": /transition:[^;]*\d+m?s\b/,
  "a space": /(?:padding|margin|gap)(?:-\w+)*:[^;]*[1-9]\d*px/,
};

describe.each(NAMES)("%s", (name) => {
  test("takes from the scales what has one", () => {
    const text = textOf(name);
    const found = Object.entries(RAW).flatMap(([what, pattern]) => {
      const [match] = pattern.exec(text) ?? [];
      return match === undefined ? [] : [`${what}: ${match}`];
    });
    expect(found).toEqual([]);
  });
});

const definedIn = (name: string) =>
  [...textOf(name).matchAll(/^\s*(--[\w-]+):/gm)].map(([, token]) => token ?? "");

const usedIn = (name: string) =>
  [...textOf(name).matchAll(/var\((--[\w-]+)/g)].map(([, token]) => token ?? "");

test("every token is used, and none is used that there is not", () => {
  const tokens = new Set(SCALES.flatMap(definedIn));
  const used = [...NAMES, ...SCALES].flatMap((name) => {
    // What a sheet names for itself, and what code gives to single elements.
    const own = new Set([...definedIn(name), "--at", "--swatch"]);
    return usedIn(name).filter((token) => tokens.has(token) || !own.has(token));
  });
  expect(used.filter((token) => !tokens.has(token))).toEqual([]);
  expect([...tokens].filter((token) => !used.includes(token))).toEqual([]);
});
