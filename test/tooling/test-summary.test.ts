import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const PROGRAM = join(import.meta.dirname, "test-summary.ts");

type Summary = { line: string; named: string; code: unknown };

async function summarise(report: string): Promise<Summary> {
  const path = join(await temporaryDirectory(), "report.json");
  await writeFile(path, report);
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, path], (error, stdout, stderr) => {
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
  expect(await summarise(JSON.stringify(content))).toEqual({
    line: `${line}\n`,
    named: "",
    code,
  });
});

test("the build fails when there is no report", async () => {
  expect(await summarise("")).toEqual({
    line: "0 passed, 1 failed, 0 skipped\n",
    named: "",
    code: 1,
  });
});

test("a test that passed at its second try counts, and is named", async () => {
  const repeated = {
    status: "passed",
    fullName: "the log is read",
    failureMessages: ["AssertionError: 1 is not 2"],
  };
  const testResults = [{ status: "passed", assertionResults: [repeated] }];
  expect(await summarise(JSON.stringify({ ...report({ passed: 1 }), testResults }))).toEqual({
    line: "1 passed, 0 failed, 0 skipped\n",
    named: "passed at its second try: the log is read\n  AssertionError: 1 is not 2\n",
    code: 0,
  });
});

test("the ten slowest tests are named, the slowest first", async () => {
  const assertionResults = Array.from({ length: 12 }, (_, i) => ({
    status: "passed",
    fullName: `test ${i}`,
    duration: 100 * i,
  }));
  const testResults = [{ status: "passed", assertionResults }];
  const { named } = await summarise(JSON.stringify({ ...report({ passed: 12 }), testResults }));
  const expected = Array.from(
    { length: 10 },
    (_, i) => `${(1.1 - i / 10).toFixed(1)} s: test ${11 - i}`,
  );
  expect(named.trimEnd().split("\n")).toEqual(expected);
});
