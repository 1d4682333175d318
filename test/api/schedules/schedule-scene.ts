import pg from "pg";
import { expect, onTestFinished } from "vitest";
import type { Job } from "#contracts/http/jobs.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import type { TestService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { endOf } from "../support/operations.ts";
import { newSchedule } from "../support/schedules.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** An event of an hour ago and some minutes. */
export function recent(id: string, minutes = 0, magnitude = 3): ServedEvent {
  const time = new Date(Date.now() - HOUR_MS - minutes * MINUTE_MS).toISOString();
  const place = { latitude: -42, longitude: 173, depth: 10 };
  const row = { source_id: id, time, ...place, magnitude, magnitude_type: "ML" };
  return { row, updatedMs: Date.now() };
}

/** A schedule of the test's agency for a catalogue of its own, which is made of `form`. */
export async function scheduledFor(
  client: ApiClient,
  settings: Readonly<Record<string, unknown>> = {},
  form: Readonly<Record<string, unknown>> = {},
) {
  const { id: catalogue } = await createCatalogue(client, { events: [], ...form });
  const schedule = await newSchedule(client, catalogue, { agency: "test-agency", ...settings });
  return { catalogue, schedule };
}

/** Starts a run by hand. @returns the id of its operation */
export async function startRun(client: ApiClient, schedule: string): Promise<string> {
  const path = `/api/schedules/${schedule}/run`;
  const { status, headers, body } = await client.send<{ operationId: string }>("POST", path);
  expect(status, JSON.stringify(body)).toBe(202);
  expect(headers.get("location")).toBe(`/api/operations/${body.operationId}`);
  return body.operationId;
}

/** The operation of a run by hand, once it has ended. */
export async function endedRun(client: ApiClient, schedule: string): Promise<Job> {
  return endOf(client, await startRun(client, schedule));
}

/** A connection to the service's database until the test ends. */
export async function databaseOf({ databaseUrl }: TestService): Promise<pg.Client> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Makes a schedule due, as if everything about it had been so much earlier. */
export async function makeScheduleDue(service: TestService, schedule: string): Promise<void> {
  const client = await databaseOf(service);
  await client.query(
    "update read_model.schedules set created_at = created_at - interval '3 days' where id = $1",
    [schedule],
  );
  await client.query(
    "update operations.schedule_states set last_run = last_run - interval '3 days', again_at = null where schedule_id = $1",
    [schedule],
  );
}
