import { pathToFileURL } from "node:url";
import { check } from "recheck";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { operations } from "#contracts/http/table/operations.ts";
import { openApiDocument } from "#services/gateway/http/openapi/openapi.ts";
import { findPatterns, type Maker, type Pattern } from "./find-patterns.ts";

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
  const recording = new Proxy(RegExp, {
    construct: (target, given) => record(Reflect.construct(target, given)),
    apply: (target, _, given) => record(Reflect.construct(target, given)),
  });
  vi.stubGlobal("RegExp", recording);
  onTestFinished(() => void vi.unstubAllGlobals());
  await import(`${href}?again`);
  vi.unstubAllGlobals();
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

async function slowOnes(patterns: readonly Pattern[]): Promise<string[]> {
  const slow: string[] = [];
  for (const pattern of patterns) {
    const growth = await growthOf(pattern);
    if (growth !== null) slow.push(`${pattern.where}: /${pattern.source}/ ${growth}`);
  }
  return slow;
}

describe("no hostile text makes a pattern's work grow faster than the text", () => {
  test("for those written in the source", async () => {
    const { literals } = await findPatterns();
    expect(literals.length).toBeGreaterThan(100);
    expect(await slowOnes(literals)).toEqual([]);
  });

  test("for those that are constructed, all of them when their file is loaded", async () => {
    const { makers } = await findPatterns();
    expect(makers.length).toBeGreaterThan(0);
    for (const maker of makers) {
      const made = await constructedBy(maker);
      expect(made).toHaveLength(maker.count);
      expect(await slowOnes(made)).toEqual([]);
    }
  });

  test("for those of the OpenAPI document", async () => {
    const patterns = documented();
    expect(patterns.length).toBeGreaterThan(0);
    expect(await slowOnes(patterns)).toEqual([]);
  });
});

test.each([
  ["comments that end in two ways", /^(?:<!--[\s\S]*?-->\s*|<![^>]*>\s*)*</],
  ["a repetition in a repetition", /^(\d+)*$/],
  ["alternatives that begin alike", /^(a|ab|b)*$/],
  ["a repetition that may begin anywhere", /\s+$/],
  ["two repetitions that meet", /^\d+\.?\d*$/],
  ["a reference to a group between repetitions", /^(a+)\1*b$/],
])("%s are found to grow faster", async (_, { source, flags }) => {
  expect(await growthOf({ where: "here", source, flags })).not.toBeNull();
});
