import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the scales are, and the order of the sheets. */
const SCALES = ["tokens.css", "icons.css"];

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

const namesIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, token]) => token ?? "");
const definedIn = (text: string) => namesIn(text, /^\s*(--[\w-]+):/gm);
const usedIn = (text: string) => namesIn(text, /var\((--[\w-]+)/g);

/** Sheets take from the scales what has one; every token is used, and none is used that there is not. */
export async function styleProblems(root: string): Promise<string[]> {
  const folder = join(root, "services/console/ui/style");
  const sheets = new Map(
    readdirSync(folder).map((name) => [
      name,
      readFileSync(join(folder, name), "utf8").replaceAll(/\/\*.*?\*\//gs, ""),
    ]),
  );
  sheets.delete("main.css");
  const tokens = new Set(SCALES.flatMap((name) => definedIn(sheets.get(name) ?? "")));
  const used = [...sheets.values()].flatMap((text) => {
    // What a sheet names for itself, and what code gives to single elements.
    const own = new Set([...definedIn(text), "--at", "--swatch"]);
    return usedIn(text).filter((token) => tokens.has(token) || !own.has(token));
  });
  const raw = [...sheets].filter(([name]) => !SCALES.includes(name));
  return [
    ...raw.flatMap(([name, text]) =>
      Object.entries(RAW).flatMap(([what, pattern]) => {
        const [match] = pattern.exec(text) ?? [];
        return match === undefined ? [] : [`${name} has ${what} of its own: ${match}`];
      }),
    ),
    ...used.filter((token) => !tokens.has(token)).map((token) => `there is no ${token}`),
    ...[...tokens].filter((token) => !used.includes(token)).map((token) => `${token} is not used`),
  ];
}

/** Preact keeps hooks by the order of their calls, which linters check for those alone that are called by their names. */
export async function hookProblems(root: string): Promise<string[]> {
  const folder = join(root, "services/console");
  return globSync("**/*.{ts,tsx}", { cwd: folder })
    .filter((path) =>
      /\w\.use[A-Z]\w*\(|(?:readonly|[{,])\s+use[A-Z]\w*\??: /.test(
        readFileSync(join(folder, path), "utf8"),
      ),
    )
    .map((path) => `${path} hides a hook in an object`);
}
