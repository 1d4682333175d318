import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Node, parseSync, Visitor } from "oxc-parser";
import { check } from "recheck";
import { operations } from "#contracts/http/table/operations.ts";
import { openApiDocument } from "#services/gateway/openapi.ts";

/** Beyond what is repeated anywhere, so that the answer is proven and not searched for at random. */
const MAX_REPEATS = 4096;

/**
 * How a backtracking engine's steps can grow with the length of a hostile text, null where no faster than
 * the text. The automaton of the pattern is examined, or where it has references to its own groups, a
 * virtual machine counts the steps for texts that are bred to need many: no clock is looked at.
 */
async function growthOf({ source, flags }: Pattern): Promise<string | null> {
  const found = await check(source, flags, { maxRepeatCount: MAX_REPEATS, timeout: null });
  if (found.status === "safe") return null;
  if (found.status === "unknown") return `unknown: ${found.error.kind}`;
  return `${found.complexity.summary} for ${found.attack.pattern}`;
}

/** What a file constructs when it is loaded. */
async function constructedBy({ file, path }: Maker): Promise<Pattern[]> {
  const { href } = pathToFileURL(path);
  // What it imports is loaded by then, so that the patterns of others are not among its own.
  await import(href);
  const made: Pattern[] = [];
  const record = (pattern: RegExp): RegExp => {
    made.push({ where: file, source: pattern.source, flags: pattern.flags });
    return pattern;
  };
  const original = RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct: (target, given) => record(Reflect.construct(target, given)),
    apply: (target, _, given) => record(Reflect.construct(target, given)),
  });
  try {
    await import(`${href}?again`);
  } finally {
    globalThis.RegExp = original;
  }
  return made;
}

/** The patterns of our schemas, zod's own among them: clients have them from the OpenAPI document. */
function documented(): Pattern[] {
  const found = new Map<string, Pattern>();
  const info = { version: "1.0.0", serverUrl: "http://catalogues.example.org", cookieName: "s" };
  JSON.stringify(openApiDocument(operations, info), (key, value: unknown) => {
    if (key === "pattern" && typeof value === "string") {
      found.set(value, { where: "the OpenAPI document", source: value, flags: "u" });
    }
    return value;
  });
  return [...found.values()];
}

/** Patterns that are slow, by which it is seen that slow ones are found. */
const SLOW: Readonly<Record<string, RegExp>> = {
  "comments that end in two ways": /^(?:<!--[\s\S]*?-->\s*|<![^>]*>\s*)*</,
  "a repetition in a repetition": /^(\d+)*$/,
  "alternatives that begin alike": /^(a|ab|b)*$/,
  "a repetition that may begin anywhere": /\s+$/,
  "two repetitions that meet": /^\d+\.?\d*$/,
  "a reference to a group between repetitions": /^(a+)\1*b$/,
};

/**
 * No hostile text makes the work of a pattern grow faster than the text: of those that are written in the source,
 * those that are constructed, all of them when their file is loaded, and those of the OpenAPI document.
 */
export async function patternProblems(): Promise<string[]> {
  const { literals, makers } = await findPatterns();
  const constructed: Pattern[] = [];
  const problems: string[] = [];
  for (const maker of makers) {
    const made = await constructedBy(maker);
    constructed.push(...made);
    if (made.length !== maker.count) problems.push(`${maker.file} makes patterns later on`);
  }
  const all = [literals, constructed, documented()];
  if (all.some((patterns) => patterns.length === 0)) problems.push("not all patterns are found");
  const different = new Map(all.flat().map((one) => [`/${one.source}/${one.flags}`, one]));
  for (const [text, pattern] of different) {
    const growth = await growthOf(pattern);
    if (growth !== null) problems.push(`${pattern.where}: ${text} ${growth}`);
  }
  for (const [what, { source, flags }] of Object.entries(SLOW)) {
    const growth = await growthOf({ where: "here", source, flags });
    if (growth === null) problems.push(`${what} are not found to grow faster`);
  }
  return problems;
}

const ROOT = join(import.meta.dirname, "../../..");
const SOURCES = "{contracts,infra,projections,services}/**/*.{ts,js}";

/** A regular expression, and where it stands. */
type Pattern = { readonly where: string; readonly source: string; readonly flags: string };

/** A file that makes regular expressions of strings. */
type Maker = { readonly file: string; readonly path: string; readonly count: number };

type FoundPatterns = { readonly literals: Pattern[]; readonly makers: Maker[] };

/** The regular expressions of the product's source, and the files that construct others. */
async function findPatterns(): Promise<FoundPatterns> {
  const literals: Pattern[] = [];
  const makers: Maker[] = [];
  for (const file of globSync(SOURCES, { cwd: ROOT })) {
    const path = join(ROOT, file);
    const text = await readFile(path, "utf8");
    let count = 0;
    const made = ({ callee }: { readonly callee: Node }): void => {
      if (callee.type === "Identifier" && callee.name === "RegExp") count += 1;
    };
    const visitor = new Visitor({
      Literal(node) {
        if (!("regex" in node)) return;
        const line = text.slice(0, node.start).split("\n").length;
        const { pattern: source, flags } = node.regex;
        literals.push({ where: `${file}:${line}`, source, flags });
      },
      NewExpression: made,
      CallExpression: made,
    });
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file} cannot be parsed`);
    visitor.visit(program);
    if (count > 0) makers.push({ file, path, count });
  }
  return { literals, makers };
}
