import { appendFileSync } from "node:fs";
import { Session } from "node:inspector";
import { afterAll, beforeAll, expect } from "vitest";

/** A setup file: notes which functions of the product each test file runs, a line each in MUTANTS_COVERAGE. */
const product = new RegExp(`${process.cwd()}/((?:infra|projections|services)/.*)`);
const shared = globalThis as { coverageSession?: Session };

type Coverage = {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly {
        readonly startOffset: number;
        readonly endOffset: number;
        readonly count: number;
      }[];
    }[];
  }[];
};

function taken(): Coverage {
  let coverage: Coverage = { result: [] };
  shared.coverageSession?.post("Profiler.takePreciseCoverage", (_, result) => {
    coverage = result as Coverage;
  });
  return coverage;
}

// Files share the modules of their worker: what the first has loaded is not loaded again.
if (shared.coverageSession === undefined) {
  shared.coverageSession = new Session();
  shared.coverageSession.connect();
  shared.coverageSession.post("Profiler.enable");
  shared.coverageSession.post("Profiler.startPreciseCoverage", {
    callCount: true,
    detailed: false,
  });
}

beforeAll(() => void taken());

afterAll(() => {
  const functions: [string, number, number][] = [];
  for (const { url, functions: all } of taken().result) {
    const file = product.exec(url)?.[1];
    if (file === undefined) continue;
    for (const { ranges } of all)
      for (const { startOffset, endOffset, count } of ranges)
        if (count > 0) functions.push([file, startOffset, endOffset]);
  }
  const path = process.env["MUTANTS_COVERAGE"] ?? "";
  const { testPath } = expect.getState();
  appendFileSync(path, `${JSON.stringify({ test: testPath, functions })}\n`);
});
