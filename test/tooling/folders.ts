/**
 * `npm run check`: no file of the product imports, by way of others or not, one that imports it, nor does a folder
 * with none below it; those of the console import only what lies below them, and those of the tests `test/support`
 * alone.
 */
import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";

const PRODUCT = "{contracts,infra,projections,services}/**/*.{ts,tsx}";
export const TESTS = "test/!(tooling)/**/*.{ts,tsx}";
/** Static and dynamic imports, types included, by alias or relative path. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"([#.][^"]+)"/g;

/** Folders that import each other, the shortest way round first and last: `["a", "b", "a"]`. */
export type Circle = readonly string[];

/** The circles of a graph of imports, one for each folder that lies on any. */
export function circlesOf(imports: ReadonlyMap<string, ReadonlySet<string>>): Circle[] {
  return [...imports.keys()].flatMap((folder) => {
    const way = wayBack(imports, folder);
    return way === null ? [] : [way];
  });
}

function wayBack(imports: ReadonlyMap<string, ReadonlySet<string>>, start: string): Circle | null {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of imports.get(way.at(-1) ?? "") ?? []) {
      if (next === start) return [...way, start];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return null;
}

/** Which files each file of the product under `root` imports. */
export async function fileImports(
  root: string,
  files = PRODUCT,
): Promise<Map<string, Set<string>>> {
  const imports = new Map<string, Set<string>>();
  for await (const file of glob(files, { cwd: root })) {
    imports.set(file, new Set(await importsOf(root, file)));
  }
  return imports;
}

/**
 * Which folders each folder imports, of what its files import. Files above other folders open them and serve them, so
 * that they are no part of a circle of folders (but of one of files).
 */
export function foldersOf(
  ofFiles: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const [file, targets] of ofFiles) {
    const folder = dirname(file);
    const others = imports.get(folder) ?? new Set();
    imports.set(folder, others);
    for (const target of targets) if (dirname(target) !== folder) others.add(dirname(target));
  }
  return imports;
}

/** The folders that have no other below them, and what they import of each other. */
export function lowest(
  imports: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, ReadonlySet<string>> {
  const above = new Set([...imports.keys()].map((folder) => dirname(folder)));
  return new Map([...imports].filter(([folder]) => !above.has(folder)));
}

/** How many doors a folder may have; rows of equals, one file an area, have one for each. */
const MAX_DOORS = 5;
const MAX_DOORS_OF_CONTRACTS = 12;
const ROWS_OF_EQUALS: Readonly<Record<string, number>> = {
  "contracts/http": 19,
  "projections/read": 19,
};

export function maxDoorsOf(folder: string): number {
  const ofContracts = folder.startsWith("contracts") ? MAX_DOORS_OF_CONTRACTS : MAX_DOORS;
  return ROWS_OF_EQUALS[folder] ?? ofContracts;
}

/** The doors of each folder of the core: its files that something outside of it, and not below it, imports. */
export function doorsOf(
  imports: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, ReadonlySet<string>> {
  const doors = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    if (file.startsWith(CONSOLE)) continue;
    for (const target of targets) {
      const folder = dirname(target);
      const isInside = dirname(file) === folder || file.startsWith(`${folder}/`);
      if (isInside || target.startsWith(CONSOLE) || !imports.has(target)) continue;
      doors.set(folder, (doors.get(folder) ?? new Set()).add(target));
    }
  }
  return doors;
}

/** The files that a file imports, from the root. */
async function importsOf(root: string, file: string): Promise<string[]> {
  const text = await readFile(join(root, file), "utf8");
  return [...text.matchAll(IMPORT)].map(([, path = ""]) =>
    path.startsWith("#") ? path.slice(1) : normalize(join(dirname(file), path)),
  );
}

const CONSOLE = "services/console/";
/** The console from the bottom; folders of one line do not know each other. */
const LAYERS = [
  ["model"],
  ["api"],
  ["ui"],
  ["drawing"],
  ["jobs", "map", "plots"],
  ["features"],
  ["pages"],
  ["shell"],
] as const satisfies readonly (readonly string[])[];

/** Imports of the console from a folder that lies not below, or from another feature; of a test from another's folder. */
export function wrongWays(
  imports: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly [from: string, to: string])[] {
  return [...imports].flatMap(([from, targets]) =>
    [...targets].filter((to) => !mayImport(from, to)).map((to) => [from, to] as const),
  );
}

function mayImport(from: string, to: string): boolean {
  const [top, area] = from.split("/");
  const [topOfTarget, areaOfTarget] = to.split("/");
  if (top === "test" && topOfTarget === "test") {
    return area === areaOfTarget || areaOfTarget === "support";
  }
  if (!from.startsWith(CONSOLE) || !to.startsWith(CONSOLE)) return true;
  const [a = "", areaA] = from.slice(CONSOLE.length).split("/");
  const [b = "", areaB] = to.slice(CONSOLE.length).split("/");
  if (a === b) return a !== "features" || areaA === areaB;
  return a === "build" || heightOf(b) < heightOf(a);
}

/** A folder that is named nowhere lies above all others: nothing may import it. */
function heightOf(folder: string): number {
  const height = LAYERS.findIndex((folders) => folders.some((one) => one === folder));
  return height < 0 ? LAYERS.length : height;
}
