import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { buildConsole } from "#services/console/build/build-console.ts";

type Routes = {
  readonly routes: readonly { readonly path: string; readonly load: () => unknown }[];
};

// By an address: this project's types do not know a browser.
const { routes }: Routes = await import(
  new URL("../../services/console/routes.ts", import.meta.url).href
);
const { assets } = await buildConsole(false);

/** The scripts by name: what they weigh when they are sent, and what they import before they run. */
const scripts = new Map(
  [...assets]
    .filter(([name]) => name.endsWith(".js"))
    .map(([name, { gzipped }]) => {
      const text = gunzipSync(gzipped).toString();
      const imports = [...text.matchAll(/(?:from|import)\s*"\/assets\/([^"]+)"/g)];
      return [
        name,
        { text, bytes: gzipped.length, imports: imports.map((found) => found[1] ?? "") },
      ];
    }),
);

/** The scripts without which one does not run, with itself. */
function needed(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const imported of scripts.get(name)?.imports ?? []) needed(imported, found);
  return found;
}

/** All scripts that a page needs, with those that every page needs. */
function scriptsOf(load: () => unknown) {
  const [, page] = /\/([^/"]+)\.tsx/.exec(load.toString()) ?? [];
  const names = [...scripts.keys()].filter((name) =>
    ["main", page].includes(name.replace(/-[A-Z0-9]{8}\.js$/, "")),
  );
  expect(names).toHaveLength(2);
  return [...new Set(names.flatMap((name) => [...needed(name)]))].flatMap(
    (name) => scripts.get(name) ?? [],
  );
}

/** Bytes on the line: of a page, and of one with a map, which brings Leaflet and plots with it. */
const MOST = 55_000;
const MOST_WITH_MAP = 150_000;

describe("the scripts of the console", () => {
  test.each(routes.map(({ path, load }) => [path, load] as const))(
    "at %s weigh what they may",
    (_path, load) => {
      const all = scriptsOf(load);
      const hasMap = all.some(({ text }) => text.includes("leaflet-container"));
      const bytes = all.reduce((sum, script) => sum + script.bytes, 0);
      expect(bytes).toBeLessThanOrEqual(hasMap ? MOST_WITH_MAP : MOST);
    },
  );

  test("hold no part of zod", () => {
    const holders = [...scripts].filter(([, { text }]) => text.includes("_zod"));
    expect(holders.map(([name]) => name)).toEqual([]);
  });
});
