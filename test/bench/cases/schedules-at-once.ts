import { setTimeout as delay } from "node:timers/promises";
import { catalogueOf } from "../bench-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import { type Result, within } from "../report.ts";
import { startScheduledAgency } from "../scheduled/agency.ts";
import { newSchedule } from "../scheduled/schedule-runs.ts";
import { smallGetsWhile } from "../small-gets.ts";
import { secondsOf } from "../statistics.ts";

const POLL_MS = 100;
/** An hour has room for the hourly runs of many more. */
const ALL_SECONDS = 60;

type Sizes = { readonly events: number; readonly atOnce: number; readonly idle: number };

/** Schedules that are due at the same time, of an agency that has to be asked for its whole window each time. */
export async function benchSchedulesAtOnce(
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
      let seconds = 0;
      const work = async (): Promise<void> => {
        seconds = await secondsOf(() => runAll(bench, schedules));
      };
      const size = `${events} events each, ${what}`;
      const activity = `${atOnce} schedules are due at once`;
      const address = `${url}/api/catalogues/${other}`;
      results.push(await smallGetsWhile(activity, size, address, idle, work), {
        case: `${atOnce} schedules due at once, until all have run`,
        ...{ size, unit: "s", ...within(ALL_SECONDS, [seconds]), target: null },
      });
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
