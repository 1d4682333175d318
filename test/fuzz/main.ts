/**
 * `npm run fuzz -- --minutes N --seed S`: hostile requests, made of what the service documents of
 * itself, for four roles, hostile files for every reader and an agency whose answers are hostile.
 */
import { parseArgs } from "node:util";
import { isPassed } from "./fuzz-report.ts";
import { runFuzz } from "./run-fuzz.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
  },
});
const seconds = Number(values.minutes) * 60;
const seed = Number(values.seed);
if (!(seconds > 0) || !Number.isInteger(seed)) throw new RangeError("--minutes N --seed S");

const began = Date.now();
const report = await runFuzz(seconds, seed, (progress) =>
  console.log(`${Math.round((Date.now() - began) / 1_000)} s: ${progress}`),
);
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
