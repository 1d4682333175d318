import { strict as assert } from "node:assert";
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ImportDetail } from "#contracts/events/imports.ts";
import type { ImportResult, Schedule } from "#contracts/http/imports.ts";
import type { ServedDialect } from "../support/agency/fdsn-query.ts";
import type { ApiClient } from "../support/api-client.ts";
import { type BenchService, startBenchService } from "../support/bench-service.ts";
import type { AgencyChange } from "./agency-main.ts";

const MAIN = fileURLToPath(new URL("./agency-main.ts", import.meta.url));

/** An agency of so many generated events in a process of its own, each with `picks` picks in its XML. */
async function startAgency(dialect: ServedDialect, events: number, picks = 0, laterYears = 0) {
  const child = fork(MAIN, [dialect, ...[events, picks, laterYears].map(String)]);
  const closed = once(child, "close");
  const [url] = await once(child, "message");
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    await closed;
  };
  return { child, url, close };
}

const EVERYTHING = { startDate: "2014-01-01", endDate: "2024-01-01" };

/** What an import asks for: FDSN text, or QuakeML. */
export type Detail = "summary" | "full";

/** A service of its own beside an agency of `count` generated events with `picks` picks each. */
export async function withAgency<T>(
  count: number,
  picks: number,
  use: (bench: BenchService) => Promise<T>,
): Promise<T> {
  const agency = await startAgency("geonet", count, picks);
  const bench = await startBenchService({ AGENCY_URL: agency.url, AGENCY_NAME: "bench agency" });
  try {
    return await use(bench);
  } finally {
    await bench.close();
    await agency.close();
  }
}

/** Imports all that the agency has, and sees it; the catalogue's id. */
export async function importAll(client: ApiClient, detail: Detail, count: number): Promise<string> {
  const { status, body } = await client.send<ImportResult>("POST", "/api/import/agency", {
    ...EVERYTHING,
    detail,
  });
  if (status !== 200 || body.newEvents !== count) {
    throw new Error(`importing answered ${status} ${JSON.stringify(body)}`);
  }
  const page = await client.get<{ total: number }>(
    `/api/catalogues/${body.catalogueId}/events?pageSize=1`,
  );
  if (page.body.total !== count) throw new Error("what was imported is not visible");
  return body.catalogueId;
}

/** Generated events are of 2015 to 2022: so many years later all are in the last ten years, until 2028. */
const LATER_YEARS = 3;
const NOTHING: AgencyChange = { changed: 0, withdrawn: 0 };

/** An agency in a process of its own, which the service has among its agencies. */
export type ScheduledAgency = {
  readonly id: string;
  readonly change: (change: AgencyChange) => Promise<number>;
  /** Requests since the last call or change. */
  readonly requests: () => Promise<number>;
  readonly close: () => Promise<void>;
};

export async function startScheduledAgency(
  client: ApiClient,
  dialect: ServedDialect,
  events: number,
): Promise<ScheduledAgency> {
  const { child, url, close } = await startAgency(dialect, events, 0, LATER_YEARS);
  const id = `bench-${randomUUID()}`;
  const { status, body } = await client.send("POST", "/api/agencies", {
    ...{ id, name: id, dialect, url },
  });
  if (status !== 201) throw new Error(`an agency was answered ${JSON.stringify(body)}`);
  const change = async (what: AgencyChange): Promise<number> => {
    child.send(what);
    const [requests] = await once(child, "message");
    return requests;
  };
  return {
    id,
    change,
    requests: () => change(NOTHING),
    close,
  };
}

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
