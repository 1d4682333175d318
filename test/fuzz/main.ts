/**
 * `npm run fuzz -- --minutes N --seed S`: hostile requests, made of what the service documents of
 * itself, for four roles, hostile files for every reader and an agency whose answers are hostile.
 */
import { longRun } from "../support/long-run.ts";
import { isPassed } from "./fuzz-report.ts";
import { runFuzz } from "./run-fuzz.ts";

const { seconds, seed, tell } = longRun();
const report = await runFuzz(seconds, seed, tell);
for (const [kind, statuses] of report.statuses) {
  const counts = [...statuses]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([status, count]) => `${status}: ${count}`);
  console.log(`${kind}: ${counts.join(", ")}`);
}
const { start, peak, end, isFlat } = report.memory;
const mib = (size: number): string => `${Math.round(size)} MiB`;
console.log(
  `resident: ${mib(start)} at the start, ${mib(peak)} at most, ${mib(end)} after a pause: ` +
    (isFlat ? "flat" : "it grows"),
);
console.log(
  `seed ${seed}, ${seconds} s: ${report.requests} requests, ${report.shed} of them shed, ` +
    [...report.complaints].map(([complaint, count]) => `${complaint}: ${count}`).join(", "),
);
for (const line of [...report.examples, ...report.ends]) console.error(line);
if (!isPassed(report)) process.exitCode = 1;
