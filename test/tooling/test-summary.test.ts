import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const PROGRAM = join(import.meta.dirname, "test-summary.ts");

type Summary = { line: string; named: string; code: unknown };

const MAY_SKIP = "--may-skip";

async function summarise(...reports: string[]): Promise<Summary> {
  const directory = await temporaryDirectory();
  const paths = reports.map((report, i) =>
    report === MAY_SKIP ? report : join(directory, `report-${i}.json`),
  );
  const files = reports.filter((report) => report !== MAY_SKIP);
  const names = paths.filter((path) => path !== MAY_SKIP);
  await Promise.all(files.map((report, i) => writeFile(names[i] ?? "", report)));
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...paths], (error, stdout, stderr) => {
      resolve({ line: stdout, named: stderr, code: error?.code ?? 0 });
    });
  });
}

function report(counts: { passed: number; failed?: number; pending?: number; todo?: number }) {
  return {
    success: !counts.failed,
    numPassedTests: counts.passed,
    numFailedTests: counts.failed ?? 0,
    numPendingTests: counts.pending ?? 0,
    numTodoTests: counts.todo ?? 0,
    testResults: [] as { status: string; assertionResults: { status: string }[] }[],
  };
}

const brokenFile = { status: "failed", assertionResults: [] };
const failedTest = { status: "failed", assertionResults: [{ status: "failed" }] };

test.each([
  ["all passed", report({ passed: 7 }), "7 passed, 0 failed, 0 skipped", 0],
  [
    "one failed",
    { ...report({ passed: 6, failed: 1 }), testResults: [failedTest] },
    "6 passed, 1 failed, 0 skipped",
    1,
  ],
  [
    "some were skipped",
    report({ passed: 5, pending: 1, todo: 1 }),
    "5 passed, 0 failed, 2 skipped",
    1,
  ],
  [
    "a file did not load",
    { ...report({ passed: 5 }), success: false, testResults: [brokenFile] },
    "5 passed, 1 failed, 0 skipped",
    1,
  ],
  [
    "an error came from outside the tests",
    { ...report({ passed: 5 }), success: false },
    "5 passed, 1 failed, 0 skipped",
    1,
  ],
  ["nothing ran", report({ passed: 0 }), "0 passed, 0 failed, 0 skipped", 1],
])("the build ends with the true numbers when %s", async (_, content, line, code) => {
  expect(await summarise(JSON.stringify(content))).toMatchObject({ line: `${line}\n`, code });
});

test("the build fails when there is no report", async () => {
  expect(await summarise("")).toEqual({
    line: "0 passed, 1 failed, 0 skipped\n",
    named: "",
    code: 1,
  });
});

test.each([
  ["both passed", report({ passed: 3 }), "10 passed, 0 failed, 0 skipped", 0],
  [
    "one of the second failed",
    { ...report({ passed: 2, failed: 1 }), testResults: [failedTest] },
    "9 passed, 1 failed, 0 skipped",
    1,
  ],
  ["the second ran nothing", report({ passed: 0 }), "7 passed, 0 failed, 0 skipped", 1],
  ["the second left no report", "", "7 passed, 1 failed, 0 skipped", 1],
])("the numbers of two runs are added up when %s", async (_, second, line, code) => {
  const first = JSON.stringify(report({ passed: 7 }));
  expect(await summarise(first, JSON.stringify(second))).toMatchObject({
    line: `${line}\n`,
    code,
  });
});

test.each([
  ["passed", 0, 0, "passed at its second try: the log is read\n  AssertionError: 1 is not 2\n"],
  ["failed", 1, 1, "failed: the log is read\n  AssertionError: 1 is not 2\n"],
])("a test that had a failure and %s is named with it", async (status, failed, code, named) => {
  const repeated = {
    status,
    fullName: "the log is read",
    failureMessages: ["AssertionError: 1 is not 2"],
  };
  const testResults = [{ status, assertionResults: [repeated] }];
  const content = { ...report({ passed: 2 - failed, failed }), testResults };
  expect(await summarise(JSON.stringify(content))).toEqual({
    line: `${2 - failed} passed, ${failed} failed, 0 skipped\n`,
    named,
    code,
  });
});

test("a file that failed before its first test is named with its error", async () => {
  const testResults = [{ ...brokenFile, name: "log.test.ts", message: "no such module" }];
  const content = { ...report({ passed: 1 }), success: false, testResults };
  expect((await summarise(JSON.stringify(content))).named).toBe(
    "failed: log.test.ts\n  no such module\n",
  );
});

test("the ten slowest tests of all reports are named, the slowest first", async () => {
  const assertionResults = Array.from({ length: 12 }, (_, i) => ({
    status: "passed",
    fullName: `test ${i}`,
    duration: 100 * i,
  }));
  const reports = [assertionResults.slice(0, 6), assertionResults.slice(6)].map((results) =>
    JSON.stringify({
      ...report({ passed: 6 }),
      testResults: [{ status: "passed", assertionResults: results }],
    }),
  );
  const { named } = await summarise(...reports);
  const expected = Array.from(
    { length: 10 },
    (_, i) => `${(1.1 - i / 10).toFixed(1)} s: test ${11 - i}`,
  );
  expect(named.trimEnd().split("\n")).toEqual(expected);
});

test("tests behind --may-skip may be skipped and not fail, others may not be skipped", async () => {
  const whole = JSON.stringify(report({ passed: 3 }));
  const partly = JSON.stringify(report({ passed: 2, pending: 1 }));
  const failing = JSON.stringify(report({ passed: 2, failed: 1 }));
  const codes = await Promise.all(
    [
      [whole, MAY_SKIP, partly],
      [partly, MAY_SKIP, whole],
      [whole, MAY_SKIP, failing],
    ].map(async (reports) => (await summarise(...reports)).code),
  );
  expect(codes).toEqual([0, 1, 1]);
});
