import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { type Summary, summaryOf } from "./test-summary.ts";

const MAY_SKIP = "--may-skip";

/** What is said of these reports; a text is none. */
async function summarise(...reports: readonly (object | string)[]): Promise<Summary> {
  const directory = await temporaryDirectory();
  const paths = reports.map((report, i) =>
    report === MAY_SKIP ? MAY_SKIP : join(directory, `report-${i}.json`),
  );
  for (const [i, path] of paths.entries()) {
    if (path !== MAY_SKIP) await writeFile(path, JSON.stringify(reports[i]));
  }
  return summaryOf(paths);
}

type Counts = { passed: number; failed?: number; pending?: number; todo?: number };

const report = ({ passed, failed = 0, pending = 0, todo = 0 }: Counts, more: object = {}) => ({
  success: failed === 0,
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: pending,
  numTodoTests: todo,
  testResults: [],
  ...more,
});
const broken = { status: "failed", assertionResults: [] };
const oneFailed = {
  testResults: [{ status: "failed", assertionResults: [{ status: "failed" }] }],
};

test("a build ends with the true numbers of all its reports, and fails unless all of them passed", async () => {
  const first = report({ passed: 7 });
  const part = report({ passed: 5, pending: 1, todo: 1 });
  const notLoaded = report({ passed: 5 }, { success: false, testResults: [broken] });
  const rows: [string, (object | string)[], string, number][] = [
    ["all passed", [first], "7 passed, 0 failed, 0 skipped", 0],
    [
      "one failed",
      [report({ passed: 6, failed: 1 }, oneFailed)],
      "6 passed, 1 failed, 0 skipped",
      1,
    ],
    ["some skipped", [part], "5 passed, 0 failed, 2 skipped", 1],
    ["a file did not load", [notLoaded], "5 passed, 1 failed, 0 skipped", 1],
    [
      "an error outside",
      [report({ passed: 5 }, { success: false })],
      "5 passed, 1 failed, 0 skipped",
      1,
    ],
    ["nothing ran", [report({ passed: 0 })], "0 passed, 0 failed, 0 skipped", 1],
    ["no report", [""], "0 passed, 1 failed, 0 skipped", 1],
    ["none asked for", [], "0 passed, 0 failed, 0 skipped", 1],
    ["two passed", [first, report({ passed: 3 })], "10 passed, 0 failed, 0 skipped", 0],
    [
      "one of the second failed",
      [first, report({ passed: 2, failed: 1 }, oneFailed)],
      "9 passed, 1 failed, 0 skipped",
      1,
    ],
    ["the second ran nothing", [first, report({ passed: 0 })], "7 passed, 0 failed, 0 skipped", 1],
    ["the second left no report", [first, ""], "7 passed, 1 failed, 0 skipped", 1],
    ["the second may skip", [first, MAY_SKIP, part], "12 passed, 0 failed, 2 skipped", 0],
    ["the first may not", [part, MAY_SKIP, first], "12 passed, 0 failed, 2 skipped", 1],
    ["nor may the second fail", [first, MAY_SKIP, notLoaded], "12 passed, 1 failed, 0 skipped", 1],
  ];
  for (const [what, reports, line, code] of rows) {
    expect(await summarise(...reports), what).toEqual({
      line: `${line}\n`,
      code,
      named: what === "a file did not load" || what.startsWith("nor") ? "failed: \n  \n" : "",
    });
  }
});

test("failures, second tries and files that did not load are named with their errors, the ten slowest tests first", async () => {
  const results = [
    { status: "passed", fullName: "read again", failureMessages: ["1 is not 2"] },
    { status: "failed", fullName: "the log is read", failureMessages: ["2 is not 3"] },
  ];
  const slow = Array.from({ length: 12 }, (_, i) => ({
    status: "passed",
    fullName: `test ${i}`,
    duration: 100 * i,
  }));
  const of = (assertionResults: object[], ...files: object[]) =>
    report(
      { passed: 1 },
      {
        success: false,
        testResults: [
          { status: files.length > 0 ? "failed" : "passed", assertionResults },
          ...files,
        ],
      },
    );
  const notLoaded = { ...broken, name: "log.test.ts", message: "no such module" };
  const { named } = await summarise(
    of(slow.slice(0, 6)),
    of([...results, ...slow.slice(6)], notLoaded),
  );
  expect(named.trimEnd().split("\n")).toEqual([
    ...Array.from({ length: 10 }, (_, i) => `${(1.1 - i / 10).toFixed(1)} s: test ${11 - i}`),
    "passed at its second try: read again",
    "  1 is not 2",
    "failed: the log is read",
    "  2 is not 3",
    "failed: log.test.ts",
    "  no such module",
  ]);
});
