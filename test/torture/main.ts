/**
 * `npm run torture -- --minutes N --seed S`: the service apart in its processes, written to by
 * clients while everything is killed and cut; at the end it is held to what it has acknowledged.
 */
import { longRun } from "../support/long-run.ts";
import { runTorture } from "./run-torture.ts";

const { seconds, seed, tell } = longRun();
const report = await runTorture(seconds, seed, tell);
const faults = [...report.faults].toSorted(([one], [other]) => (one < other ? -1 : 1));
const kills = faults
  .filter(([name]) => name.startsWith("kill"))
  .reduce((sum, [, count]) => sum + count, 0);
for (const [name, count] of faults) console.log(`${String(count).padStart(6)}  ${name}`);
console.log(
  `seed ${seed}, ${seconds} s: ${kills} kills, ${report.writes} acknowledged writes ` +
    `(${report.repeated} requests sent again), ${report.notifications} mails, ` +
    `${report.feedKills} clients of feeds killed, ` +
    `${report.messages} messages, ${report.losses.length} losses`,
);
for (const loss of report.losses) console.error(loss);
if (report.losses.length > 0) process.exitCode = 1;
