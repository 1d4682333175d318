/**
 * Prints "N passed, N failed, N skipped" of vitest's JSON reports together. Exits with 1 unless every
 * report has tests, none failed and none was skipped: on the build machine everything that a test
 * needs is there; tests of reports behind `--may-skip` may be skipped. On standard error are the ten
 * slowest tests of all, those that passed only at their second try, and those that failed. A report
 * that is missing counts as one failure.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";

const Report = z.object({
  success: z.boolean(),
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  testResults: z.array(
    z.object({
      name: z.string().optional(),
      status: z.string(),
      /** Why the file failed before its first test. */
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          fullName: z.string().optional(),
          failureMessages: z.array(z.string()).optional(),
          /** Milliseconds; null where the test did not run. */
          duration: z.number().nullish(),
        }),
      ),
    }),
  ),
});

const SLOWEST = 10;
const MESSAGE_LENGTH = 2_000;

type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

const UNREADABLE: Counts = { passed: 0, failed: 1, skipped: 0 };

type Report = z.infer<typeof Report>;

function read(path: string): Report | null {
  try {
    return Report.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

/** Whether a file failed before its first test. */
function isBroken({ status, assertionResults }: Report["testResults"][number]): boolean {
  return status === "failed" && !assertionResults.some((test) => test.status === "failed");
}

function countsOf(report: Report): Counts {
  // A file that fails before its first test, and an error outside any test, count as one each.
  const brokenFiles = report.testResults.filter(isBroken).length;
  const known = report.numFailedTests + brokenFiles;
  return {
    passed: report.numPassedTests,
    failed: known === 0 && !report.success ? 1 : known,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

const MAY_SKIP = "--may-skip";
const args = process.argv.slice(2);
/** The number of reports without skipped tests. */
const strict = args.includes(MAY_SKIP) ? args.indexOf(MAY_SKIP) : args.length;

const reports = args.filter((argument) => argument !== MAY_SKIP).map(read);
const tests = reports.flatMap((report) =>
  (report?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults),
);
const bySlowness = tests.toSorted((a, b) => (b.duration ?? 0) - (a.duration ?? 0));
for (const { fullName, duration } of bySlowness.slice(0, SLOWEST)) {
  if (duration) process.stderr.write(`${(duration / 1_000).toFixed(1)} s: ${fullName}\n`);
}
/** Tells the first `MESSAGE_LENGTH` characters: a difference of two documents can be of megabytes. */
function tell(outcome: string, name = "", message = "") {
  process.stderr.write(`${outcome}: ${name}\n  ${message.slice(0, MESSAGE_LENGTH)}\n`);
}
for (const { status, fullName, failureMessages = [] } of tests) {
  const [failure] = failureMessages;
  if (failure === undefined) continue;
  tell(status === "passed" ? "passed at its second try" : "failed", fullName, failure);
}
for (const { name, message } of reports.flatMap(
  (report) => report?.testResults.filter(isBroken) ?? [],
))
  tell("failed", name, message);

const counts = reports.map((report) => (report ? countsOf(report) : UNREADABLE));
const sum = (count: keyof Counts) => counts.reduce((total, each) => total + each[count], 0);
const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
const ranAll = counts.length > 0 && counts.every((each) => each.passed > 0);
const mayNot = counts.slice(0, strict).some((each) => each.skipped > 0);
process.exitCode = ranAll && failed === 0 && !mayNot ? 0 : 1;
