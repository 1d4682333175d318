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

/** Tells the first `MESSAGE_LENGTH` characters: a difference of two documents can be of megabytes. */
const told = (outcome: string, name = "", message = ""): string =>
  `${outcome}: ${name}\n  ${message.slice(0, MESSAGE_LENGTH)}\n`;

export type Summary = { readonly line: string; readonly named: string; readonly code: number };

/**
 * "N passed, N failed, N skipped" of vitest's JSON reports together, whose paths are given. The code is 1 unless every
 * report has tests, none failed and none was skipped: on the build machine everything that a test needs is
 * there; tests of reports behind `--may-skip` may be skipped. Named are the ten slowest tests of all, those that passed
 * only at their second try, and those that failed. A report that is missing counts as one failure.
 */
export function summaryOf(args: readonly string[]): Summary {
  /** The number of reports without skipped tests. */
  const strict = args.includes(MAY_SKIP) ? args.indexOf(MAY_SKIP) : args.length;
  const reports = args.filter((argument) => argument !== MAY_SKIP).map(read);
  const files = reports.flatMap((report) => report?.testResults ?? []);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const bySlowness = tests.toSorted((a, b) => (b.duration ?? 0) - (a.duration ?? 0));
  const named = [
    ...bySlowness
      .slice(0, SLOWEST)
      .flatMap(({ fullName, duration }) =>
        duration ? [`${(duration / 1_000).toFixed(1)} s: ${fullName}\n`] : [],
      ),
    ...tests.flatMap(({ status, fullName, failureMessages: [failure] = [] }) =>
      failure === undefined
        ? []
        : [told(status === "passed" ? "passed at its second try" : "failed", fullName, failure)],
    ),
    ...files.filter(isBroken).map(({ name, message }) => told("failed", name, message)),
  ];
  const counts = reports.map((report) => (report ? countsOf(report) : UNREADABLE));
  const sum = (count: keyof Counts) => counts.reduce((total, each) => total + each[count], 0);
  const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
  const ranAll = counts.length > 0 && counts.every((each) => each.passed > 0);
  const mayNot = counts.slice(0, strict).some((each) => each.skipped > 0);
  return {
    line: `${passed} passed, ${failed} failed, ${skipped} skipped\n`,
    named: named.join(""),
    code: ranAll && failed === 0 && !mayNot ? 0 : 1,
  };
}

if (import.meta.main) {
  const { line, named, code } = summaryOf(process.argv.slice(2));
  process.stderr.write(named);
  process.stdout.write(line);
  process.exitCode = code;
}
