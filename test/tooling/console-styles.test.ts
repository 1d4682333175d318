import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const FOLDER = new URL("../../services/console/ui/style/", import.meta.url);
const NAMES = readdirSync(FOLDER).filter((name) => !["tokens.css", "main.css"].includes(name));

const textOf = (name: string) =>
  readFileSync(new URL(name, FOLDER), "utf8").replaceAll(/\/\*.*?\*\//gs, "");

/** Values that have a scale, where they stand by themselves. */
const RAW: Readonly<Record<string, RegExp>> = {
  "a colour": /#[0-9a-f]{3,8}\b(?=[^{]*;)|\brgba?\(|\bhsla?\(/i,
  "the size of letters": /font-size:\s*[\d.]/,
  "the weight of letters": /font-weight:\s*\d/,
  "a layer": /z-index:\s*-?\d/,
  "the width of a line": /(?:border(?:-\w+)*|outline):\s*[\d.]+px/,
  "a corner": /border-radius:\s*[\d.]+px/,
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

test("every token is used, and none is used that there is not", () => {
  const tokens = textOf("tokens.css");
  const known = new Set([...tokens.matchAll(/^\s*(--[\w-]+):/gm)].map(([, token]) => token));
  // Code gives this one to single elements.
  known.add("--at");
  const used = [...NAMES, "tokens.css"].flatMap((name) =>
    [...textOf(name).matchAll(/var\((--[\w-]+)/g)].map(([, token]) => token),
  );
  expect(used.filter((token) => !known.has(token))).toEqual([]);
  expect([...known].filter((token) => token !== "--at" && !used.includes(token))).toEqual([]);
});
