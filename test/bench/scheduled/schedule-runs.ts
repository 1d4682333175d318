import { strict as assert } from "node:assert";
import { setTimeout as delay } from "node:timers/promises";
import type { Schedule } from "#contracts/http/schedules.ts";
import type { ImportDetail } from "#contracts/import-run.ts";
import type { ServedDialect } from "../../support/agency/habits.ts";
import type { BenchService } from "../bench-service.ts";
import { type ScheduledAgency, startScheduledAgency } from "./agency.ts";

/** All that the agency has lies in it. */
const LOOKBACK_HOURS = 87_600;
const POLL_MS = 10;
const FIRST_RUN_SECONDS = 600;

export type Scheduled = {
  readonly agency: ScheduledAgency;
  readonly catalogue: string;
  readonly schedule: string;
};

/** A schedule of an agency of its own, after its first run. */
export async function withSchedule<T>(
  bench: BenchService,
  dialect: ServedDialect,
  events: number,
  use: (scheduled: Scheduled) => Promise<T>,
): Promise<T> {
  const agency = await startScheduledAgency(bench.client, dialect, events);
  try {
    const made = await newSchedule(bench, agency);
    await run(bench, made.schedule);
    assert.equal(await eventCount(bench, made.catalogue), events, "the first run imports all");
    return await use({ agency, ...made });
  } finally {
    await agency.close();
  }
}

/** A schedule that removes what is withdrawn, for a catalogue of its own. */
export async function newSchedule(
  { client }: BenchService,
  { id: agency }: ScheduledAgency,
  detail: ImportDetail = "full",
): Promise<Pick<Scheduled, "catalogue" | "schedule">> {
  const empty = { name: `scheduled from ${agency}`, events: [] };
  const created = await client.send<{ id: string }>("POST", "/api/catalogues", empty);
  const catalogue = created.body.id;
  const { status, body } = await client.send<{ schedule: Schedule }>("POST", "/api/schedules", {
    ...{ catalogueId: catalogue, agency, everyMinutes: 60 },
    ...{ lookbackHours: LOOKBACK_HOURS, withdrawn: "remove", detail },
  });
  assert.equal(status, 201, JSON.stringify(body));
  return { catalogue, schedule: body.schedule.id };
}

/** Runs a schedule by hand, to its end. */
export async function run({ client, database }: BenchService, schedule: string): Promise<void> {
  const { status } = await client.send("POST", `/api/schedules/${schedule}/run`);
  assert.equal(status, 202);
  // The service would work for whoever asked it for the operation.
  const query = "select worker, error from operations.schedule_states where schedule_id = $1";
  for (let i = 0; i < (FIRST_RUN_SECONDS * 1_000) / POLL_MS; i += 1) {
    const { rows } = await database.query<{ worker: string | null; error: string | null }>(query, [
      schedule,
    ]);
    assert.equal(rows[0]?.error, null);
    if (rows[0]?.worker === null) return;
    await delay(POLL_MS);
  }
  throw new Error("a run did not end");
}

/** As if the last run that asked for the whole window had been days ago: the next one asks for it. */
export async function makeWholeDue({ database }: BenchService, schedule: string): Promise<void> {
  await database.query(
    `update operations.schedule_states set last_asked_whole = last_asked_whole - interval '3 days'
     where schedule_id = $1`,
    [schedule],
  );
}

export async function eventCount({ client }: BenchService, catalogue: string): Promise<number> {
  const path = `/api/catalogues/${catalogue}`;
  return (await client.get<{ event_count: number }>(path)).body.event_count;
}

/** What all of the log has. */
export async function logSize({
  database,
}: BenchService): Promise<{ readonly events: number; readonly bytes: number }> {
  const { rows } = await database.query(
    "select count(*)::int as events, sum(bytes)::float8 as bytes from event_log.events",
  );
  return rows[0];
}
