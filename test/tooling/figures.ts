/**
 * `npm run figures`: how large the house is and how entangled. `-- --long FOLDER` lists its long
 * functions and files, `-- --circles` the files that import each other.
 */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, normalize } from "node:path";
import { parseArgs } from "node:util";
import { type Node, parse } from "oxc-parser";
import { circlesOf, doorsOf, foldersOf, lowest, maxDoorsOf } from "./folders.ts";

const CONSOLE = "services/console/";
const PRODUCT = /^(contracts|infra|projections|services)\/.*\.tsx?$/;
const LONG_FILE = 500;
const LONG_FUNCTION = 50;
const TOO_LONG_FUNCTION = 80;
const MANY_FILES = 25;

type LongFunction = { readonly name: string; readonly line: number; readonly lines: number };
type Source = {
  readonly path: string;
  readonly lines: number;
  readonly functions: readonly LongFunction[];
  /** Files of the product that it imports, for their values and for anything. */
  readonly values: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
};

async function readSource(path: string): Promise<Source> {
  const text = await readFile(path, "utf8");
  const { program, module } = await parse(path, text);
  const functions = functionsOf(program, basename(path)).flatMap(({ name, start, end }) => {
    const lines = text.slice(start, end).split("\n").length;
    return lines > LONG_FUNCTION ? [{ name, line: lineAt(text, start), lines }] : [];
  });
  const values = new Set<string>();
  const all = new Set<string>();
  const add = (specifier: string, isType: boolean): void => {
    if (!/^[#.]/.test(specifier)) return;
    const target = specifier.startsWith("#")
      ? specifier.slice(1)
      : normalize(join(dirname(path), specifier));
    all.add(target);
    if (!isType) values.add(target);
  };
  for (const { moduleRequest, entries } of module.staticImports) {
    add(moduleRequest.value, entries.every(({ isType }) => isType) && entries.length > 0);
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest: from, isType } of entries) if (from) add(from.value, isType);
  }
  for (const {
    moduleRequest: { start, end },
  } of module.dynamicImports)
    add(text.slice(start + 1, end - 1), false);
  return { path, lines: lineAt(text, text.length - 1), functions, values, all };
}

/** The line of an offset, counted from 1. */
const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

type Span = { readonly name: string; readonly start: number; readonly end: number };

/** All functions below a node, a factory with its closures; those without a name have that of their owner. */
function functionsOf(node: unknown, owner: string): Span[] {
  if (Array.isArray(node)) return node.flatMap((item) => functionsOf(item, owner));
  if (typeof node !== "object" || node === null || !("type" in node)) return [];
  const { type, start, end } = node as Node;
  const { id, key } = node as { id?: { name?: string } | null; key?: { name?: string } };
  const name = id?.name ?? key?.name ?? owner;
  const inner = Object.values(node).flatMap((child) => functionsOf(child, name));
  return /Function(Declaration|Expression)$/.test(type) ? [{ name, start, end }, ...inner] : inner;
}

/** How many files, or lowest folders, lie on circles, by their values alone and with types: `0 / 7`. */
function onCircles(sources: readonly Source[], ofFolders = false): string {
  const count = (kind: "values" | "all") => {
    const imports = importsBy(sources, kind);
    return circlesOf(ofFolders ? lowest(foldersOf(imports)) : imports).length;
  };
  return `${count("values")} / ${count("all")}`;
}

function importsBy(sources: readonly Source[], kind: "values" | "all") {
  return new Map(sources.map((source) => [source.path, source[kind]]));
}

function figuresOf(sources: readonly Source[]): Readonly<Record<string, string>> {
  const quantile = (share: number) => lengths[Math.floor((lengths.length - 1) * share)];
  const lengths = sources.map(({ lines }) => lines).toSorted((a, b) => a - b);
  const long = sources.flatMap(({ functions }) => functions);
  const tooLong = long.filter(({ lines }) => lines > TOO_LONG_FUNCTION);
  const folders = [...Map.groupBy(sources, ({ path }) => dirname(path))]
    .map(([folder, files]) => ({ folder, size: files.length }))
    .toSorted((a, b) => b.size - a.size);
  const largest = folders.filter(({ size }, at) => at === 0 || size > MANY_FILES);
  return {
    "files / lines": `${lengths.length} / ${lengths.reduce((sum, lines) => sum + lines, 0)}`,
    "median / p90 / longest file": `${quantile(0.5)} / ${quantile(0.9)} / ${quantile(1)}`,
    [`functions over ${LONG_FUNCTION} lines / over ${TOO_LONG_FUNCTION}`]: `${long.length} / ${tooLong.length}`,
    "files in circles, values / with types": onCircles(sources),
    "folders in circles, values / with types": onCircles(sources, true),
    [`files over ${LONG_FILE} lines`]: `${lengths.filter((lines) => lines > LONG_FILE).length}`,
    "most doors of a folder": mostDoors(sources),
    [`largest folder, and all over ${MANY_FILES}`]: largest
      .map(({ folder, size }) => `${size} (${folder})`)
      .join(", "),
  };
}

function mostDoors(sources: readonly Source[]): string {
  const doors = doorsOf(importsBy(sources, "all"));
  const [folder, most] = [...doors].toSorted(([, a], [, b]) => b.size - a.size)[0] ?? [];
  return folder === undefined ? "0" : `${most?.size} of ${maxDoorsOf(folder)} (${folder})`;
}

async function table(sources: readonly Source[]): Promise<string[]> {
  const isConsole = ({ path }: Source): boolean => path.startsWith(CONSOLE);
  const service = figuresOf(sources.filter((source) => !isConsole(source)));
  const web = figuresOf(sources.filter(isConsole));
  const documents = files.filter((path) => path.endsWith(".md"));
  const texts = await Promise.all(documents.map((path) => readFile(path, "utf8")));
  const words = texts.join(" ").split(/\s+/).filter(Boolean).length;
  return [
    "| | without console | console |",
    "|---|---|---|",
    ...Object.entries(service).map(([label, value]) => `| ${label} | ${value} | ${web[label]} |`),
    `| words of ${documents.length} documents | ${words} | |`,
  ];
}

function longParts({ path, lines, functions }: Source): string[] {
  return [
    ...(lines > LONG_FILE ? [`${lines}\t${path}`] : []),
    ...functions.map(({ name, line, lines }) => `  ${lines}\t${path}:${line} ${name}`),
  ];
}

const { values: options } = parseArgs({
  options: { long: { type: "string" }, circles: { type: "boolean" } },
});
process.chdir(join(import.meta.dirname, "../.."));
const files = execFileSync("git", ["ls-files"], { encoding: "utf8" }).trim().split("\n");
const product = files.filter((path) => PRODUCT.test(path));
const sources = await Promise.all(product.map(readSource));
const lines = options.circles
  ? circlesOf(importsBy(sources, "all")).map((circle) => circle.join("\n  → "))
  : options.long === undefined
    ? await table(sources)
    : sources.filter(({ path }) => path.startsWith(options.long ?? "")).flatMap(longParts);
process.stdout.write(`${lines.join("\n")}\n`);
