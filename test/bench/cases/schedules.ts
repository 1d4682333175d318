import { strict as assert } from "node:assert";
import { setTimeout as delay } from "node:timers/promises";
import type { ServedDialect } from "../../support/agency/fdsn-query.ts";
import { type BenchService, catalogueOf, startBenchService } from "../../support/bench-service.ts";
import { processorTimeOf } from "../../support/process-figures.ts";
import {
  eventCount,
  logSize,
  makeWholeDue,
  newSchedule,
  run,
  type Scheduled,
  type ScheduledAgency,
  startScheduledAgency,
  withSchedule,
} from "../agencies.ts";
import { smallGetsWhile } from "../asking.ts";
import { type Result, repeated, within } from "../measure.ts";

const PROCESSOR_MS = 150;
const REQUESTS = 2;
/** The kernel counts by 10 ms, which is small beside so many runs. */
const RUNS_A_FIGURE = 10;
/** Runs before the first that counts: V8 compiles what is hot. */
const WARM_UP = 10;
const CHANGE = { changed: 10, withdrawn: 3 };
type ScheduleSizes = {
  /** Of the agency in the window. */
  readonly events: number;
  /** Figures of some runs each. */
  readonly figures: number;
  /** Schedules that are due at once. */
  readonly atOnce: number;
  /** GETs before them. */
  readonly idle: number;
};

/** What runs of schedules cost that find nothing new, or little, and what others notice of them. */
export async function benchSchedules(sizes: ScheduleSizes): Promise<Result[]> {
  const bench = await startBenchService({ AGENCY_ALLOW_PRIVATE: "true" });
  const of = (dialect: ServedDialect, what: string, isWhole: boolean) =>
    withSchedule(bench, dialect, sizes.events, (scheduled) =>
      runsOf(bench, scheduled, `${sizes.events} events, ${what}`, sizes.figures, isWhole),
    );
  try {
    return [
      ...(await of("geonet", "geonet by updatedafter", false)),
      ...(await of("geonet", "geonet, the whole window", true)),
      ...(await of("comcat", "comcat, the whole window", true)),
      ...(await benchSchedulesAtOnce(bench, sizes)),
    ];
  } finally {
    await bench.close();
  }
}

/** What so many runs cost, for each: requests, and the process's milliseconds. */
async function costOf(
  { pid }: BenchService,
  agency: ScheduledAgency,
  runOnce: () => Promise<void>,
): Promise<{ readonly requests: number; readonly ours: number }> {
  await agency.requests();
  const before = await processorTimeOf(pid);
  for (let i = 0; i < RUNS_A_FIGURE; i += 1) await runOnce();
  const ours = ((await processorTimeOf(pid)) - before) / RUNS_A_FIGURE;
  return { requests: (await agency.requests()) / RUNS_A_FIGURE, ours };
}

/** Runs that find nothing new, then one that finds a little. */
async function runsOf(
  bench: BenchService,
  { agency, catalogue, schedule }: Scheduled,
  size: string,
  figures: number,
  isWhole: boolean,
): Promise<Result[]> {
  const runOnce = async (): Promise<void> => {
    if (isWhole) await makeWholeDue(bench, schedule);
    await run(bench, schedule);
  };
  for (let i = 0; i < WARM_UP; i += 1) await runOnce();
  const before = await logSize(bench);
  const costs = await repeated(figures, 0, () => costOf(bench, agency, runOnce));
  assert.deepEqual(await logSize(bench), before, "nothing new appends nothing");
  const count = await eventCount(bench, catalogue);
  await agency.change(CHANGE);
  // What is gone is seen by looking at the whole window alone.
  await makeWholeDue(bench, schedule);
  await run(bench, schedule);
  assert.equal(await eventCount(bench, catalogue), count - CHANGE.withdrawn);
  const [requests, ours] = [costs.map((cost) => cost.requests), costs.map((cost) => cost.ours)];
  return [
    within(["a run that finds nothing new: requests", size, ""], REQUESTS, requests),
    within(["a run that finds nothing new: processor", size, "ms"], PROCESSOR_MS, ours),
  ];
}

const POLL_MS = 100;

type Sizes = { readonly events: number; readonly atOnce: number; readonly idle: number };

/** Schedules that are due at the same time, of an agency that has to be asked for its whole window each time. */
async function benchSchedulesAtOnce(
  bench: BenchService,
  { events, atOnce, idle }: Sizes,
): Promise<Result[]> {
  const { client, url } = bench;
  const agency = await startScheduledAgency(client, "seiscomp", events);
  try {
    const other = await catalogueOf(client, 1);
    const schedules: string[] = [];
    for (let i = 0; i < atOnce; i += 1) {
      schedules.push((await newSchedule(bench, agency, "summary")).schedule);
    }
    const results: Result[] = [];
    for (const what of ["their first runs", "nothing new"]) {
      const size = `${events} events each, ${what}`;
      const activity = `${atOnce} schedules are due at once`;
      const address = `${url}/api/catalogues/${other}`;
      results.push(
        await smallGetsWhile(activity, size, address, idle, () => runAll(bench, schedules)),
      );
    }
    return results;
  } finally {
    await agency.close();
  }
}

/** Makes schedules due, and waits until each has run. */
async function runAll({ database }: BenchService, schedules: readonly string[]): Promise<void> {
  const { rows } = await database.query("select now() as now");
  const { now } = rows[0];
  await database.query(
    "update read_model.schedules set created_at = created_at - interval '3 days' where id = any($1)",
    [schedules],
  );
  await database.query(
    "update operations.schedule_states set last_run = last_run - interval '3 days' where schedule_id = any($1)",
    [schedules],
  );
  const query = `select count(*)::int as ran, max(error) as error from operations.schedule_states
    where schedule_id = any($1) and last_run >= $2 and worker is null`;
  for (;;) {
    const { ran, error } = (await database.query(query, [schedules, now])).rows[0];
    if (error !== null) throw new Error(`a run failed: ${error}`);
    if (ran === schedules.length) return;
    await delay(POLL_MS);
  }
}
