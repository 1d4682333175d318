import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** Files that are named, the slowest first. */
const NAMED = 20;
const WIDTH = 9;

type Times = {
  readonly path: string;
  /** Starting the worker's environment, its set-up files and the imports of the file. */
  readonly setUp: number;
  readonly hooks: number;
  readonly tests: number;
};

/**
 * Tells at the end of a run where its time went, which no test's own time tells: of the slowest files, and of all
 * together, the seconds of set-up, hooks and tests. Files run at once, so that the sum is more than the run took.
 */
export class TestTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map(timesOf).toSorted((a, b) => total(b) - total(a));
    const lines = [
      `${["set-up", "hooks", "tests"].map((head) => head.padStart(WIDTH)).join("")}  seconds of`,
      ...files.slice(0, NAMED).map(lineOf),
      lineOf({
        path: `all ${files.length} files`,
        setUp: sum(files, "setUp"),
        hooks: sum(files, "hooks"),
        tests: sum(files, "tests"),
      }),
    ];
    process.stderr.write(`\n${lines.join("\n")}\n`);
  }
}

function timesOf(module: TestModule): Times {
  const parts = module.diagnostic();
  const tests = [...module.children.allTests()].reduce(
    (ms, test) => ms + (test.diagnostic()?.duration ?? 0),
    0,
  );
  return {
    path: relative(process.cwd(), module.moduleId),
    setUp:
      parts.environmentSetupDuration +
      parts.prepareDuration +
      parts.collectDuration +
      parts.setupDuration,
    // What the tests and hooks of a file took together, less its tests; tests that run at once may take more.
    hooks: Math.max(0, parts.duration - tests),
    tests,
  };
}

function lineOf({ path, setUp, hooks, tests }: Times): string {
  const seconds = [setUp, hooks, tests].map((ms) => (ms / 1_000).toFixed(1).padStart(WIDTH));
  return `${seconds.join("")}  ${path}`;
}

const total = ({ setUp, hooks, tests }: Times): number => setUp + hooks + tests;

function sum(files: readonly Times[], part: "setUp" | "hooks" | "tests"): number {
  return files.reduce((ms, file) => ms + file[part], 0);
}
