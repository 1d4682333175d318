/**
 * Prints "N passed, N failed, N skipped" of vitest's JSON report. Exits with 1 unless tests ran,
 * none failed and none was skipped: on the build machine everything that a test needs is there.
 * On standard error are the ten slowest tests, and those that passed only at their second try.
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
      status: z.string(),
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

function read(path: string): z.infer<typeof Report> | null {
  try {
    return Report.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

const report = read(process.argv[2] ?? "");
if (report) {
  // A file that fails before its first test, and an error outside any test, count as one each.
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  ).length;
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const bySlowness = tests.toSorted((a, b) => (b.duration ?? 0) - (a.duration ?? 0));
  for (const { fullName, duration } of bySlowness.slice(0, SLOWEST)) {
    if (duration) process.stderr.write(`${(duration / 1_000).toFixed(1)} s: ${fullName}\n`);
  }
  for (const test of tests) {
    const [failure] = test.failureMessages ?? [];
    if (test.status !== "passed" || failure === undefined) continue;
    process.stderr.write(`passed at its second try: ${test.fullName}\n  ${failure}\n`);
  }
  const known = report.numFailedTests + brokenFiles;
  const failed = known === 0 && !report.success ? 1 : known;
  const skipped = report.numPendingTests + report.numTodoTests;
  process.stdout.write(`${report.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`);
  process.exitCode = failed === 0 && skipped === 0 && report.numPassedTests > 0 ? 0 : 1;
} else {
  process.stdout.write("0 passed, 1 failed, 0 skipped\n");
  process.exitCode = 1;
}
