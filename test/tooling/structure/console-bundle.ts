import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { buildConsole } from "#services/console/build/build-console.ts";

type Route = { readonly path: string; readonly load: () => unknown };

/** Bytes on the line: of a page, and of one with a map, which brings Leaflet and plots with it. */
const MOST = 55_000;
const MOST_WITH_MAP = 150_000;

/** Pages weigh what they may with all scripts that they need, and no script holds a part of zod. */
export async function bundleProblems(root: string): Promise<string[]> {
  // By an address: this project's types do not know a browser.
  const { href } = pathToFileURL(`${root}/services/console/routes.ts`);
  const { routes }: { readonly routes: readonly Route[] } = await import(href);
  const { assets } = await buildConsole(false);
  const scripts = new Map(
    [...assets]
      .filter(([name]) => name.endsWith(".js"))
      .map(([name, { gzipped }]) => {
        const text = gunzipSync(gzipped).toString();
        const imports = [...text.matchAll(/(?:from|import)\s*"\/assets\/([^"]+)"/g)];
        const names = imports.map((found) => found[1] ?? "");
        return [name, { text, bytes: gzipped.length, imports: names }];
      }),
  );
  /** The scripts without which one does not run, with itself. */
  const needed = (name: string, found: Set<string>): ReadonlySet<string> => {
    if (found.has(name)) return found;
    found.add(name);
    for (const imported of scripts.get(name)?.imports ?? []) needed(imported, found);
    return found;
  };
  const weights = routes.flatMap(({ path, load }) => {
    const [, page] = /\/([^/"]+)\.tsx/.exec(load.toString()) ?? [];
    const names = [...scripts.keys()].filter((name) =>
      ["main", page].includes(name.replace(/-[A-Z0-9]{8}\.js$/, "")),
    );
    if (names.length !== 2) return [`the scripts of ${path} are not found`];
    const all = [...new Set(names.flatMap((name) => [...needed(name, new Set())]))].flatMap(
      (name) => scripts.get(name) ?? [],
    );
    const hasMap = all.some(({ text }) => text.includes("leaflet-container"));
    const bytes = all.reduce((sum, script) => sum + script.bytes, 0);
    const most = hasMap ? MOST_WITH_MAP : MOST;
    return bytes <= most ? [] : [`the scripts of ${path} have ${bytes} bytes, at most ${most}`];
  });
  const holders = [...scripts].filter(([, { text }]) => text.includes("_zod"));
  return [...weights, ...holders.map(([name]) => `${name} holds a part of zod`)];
}
