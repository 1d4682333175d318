import type { Client } from "pg";
import { afterEach, expect, test } from "vitest";
import type { ParkedSubject } from "#contracts/http/parked-events.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { withClient } from "../../support/database-template.ts";
import { useService } from "../../support/service.ts";

const service = useService({ TRUST_PROXY: "true" });

const admin = () => service.loginAs("admin");

const execute = (statement: string) =>
  withClient(service.databaseUrl, (client) => client.query(statement));

/** A fault of the read model: one event has no place in it until it is repaired. */
const breakReadModel = () =>
  execute(`alter table read_model.seismic_events
    add constraint no_poison check (source_id <> 'poison') not valid`);
const repairReadModel = () =>
  execute("alter table read_model.seismic_events drop constraint if exists no_poison");
afterEach(async () => void (await repairReadModel()));

async function parked(): Promise<ParkedSubject[]> {
  const { status, body } = await (await admin()).get<{ parked: ParkedSubject[] }>(
    "/api/parked-events",
  );
  expect(status).toBe(200);
  return body.parked;
}

const retry = async (id: string) =>
  (await admin()).send<{ applied: number }>("POST", `/api/parked-events/${id}/retry`);

/** A catalogue that stands still at its second version. */
async function parkedCatalogue(): Promise<string> {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor);
  await breakReadModel();
  const events = [seismicEvent({ source_id: "poison" })];
  await editor.send("POST", `/api/catalogues/${id}/events`, { events });
  return id;
}

test("the list of parked events shows what stands still and why, also in readiness, and applies it when the fault is gone", async () => {
  expect(await parked()).toEqual([]);
  const catalogue = await parkedCatalogue();
  const [entry, ...others] = await parked();
  expect(others).toEqual([]);
  expect(entry).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    projection: "catalogues",
    subject: catalogue,
    stream: `catalogue-${catalogue}-revision-2`,
    revision: 0,
    type: "SeismicEventsRecorded",
    error: expect.stringContaining("no_poison"),
    waiting: 1,
    parked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
  });
  const { body } = await createApiClient(service.url).get<ReadinessReport>("/api/ready");
  expect(body.checks.find(({ name }) => name === "projections")?.message).toContain(
    "2 events parked",
  );
  const refusal = expectRefusal(await retry(entry?.id ?? ""), "CONFLICT");
  expect(refusal.error).toContain("still cannot be brought up to date");
  expect(await parked()).toEqual([entry]);
  await repairReadModel();
  expect(await retry(entry?.id ?? "")).toMatchObject({ status: 200, body: { applied: 2 } });
  expect(await parked()).toEqual([]);
  const answer = await (await admin()).get(`/api/catalogues/${catalogue}`);
  expect(answer.body).toMatchObject({ status: "active", version: 2 });
  expectRefusal(await retry(entry?.id ?? ""), "NOT_FOUND");
});

test("the list of parked events lists and retries while exports hold all of their places", async () => {
  const { id } = await createCatalogue(await service.loginAs("editor"));
  const readers = await Promise.all(
    Array.from({ length: 12 }, () => newAccount(service, "viewer")),
  );
  const sessions = await Promise.all(readers.map((reader) => reader.signIn()));
  await withClient(service.databaseUrl, async (client) => {
    await client.query("begin; lock table read_model.seismic_events in access exclusive mode");
    // No network has all of the places.
    const exports = sessions.map(({ client: reader }, i) =>
      reader.get(`/api/catalogues/${id}/export`, { "x-forwarded-for": `192.0.2.${i}` }),
    );
    await expect.poll(() => waitingForEvents(client)).toBe(12);
    expect(await parked()).toEqual([]);
    expectRefusal(await retry(id), "NOT_FOUND");
    await client.query("rollback");
    expect((await Promise.all(exports)).map(({ status }) => status)).toEqual(Array(12).fill(200));
  });
});

/** Connections that wait for the table. */
async function waitingForEvents(client: Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_locks
     where relation = 'read_model.seismic_events'::regclass and not granted`,
  );
  return rows[0]?.count ?? 0;
}

test.each(["6a1c0b1e-5f0e-4d0c-8a57-0d6e7b6f2a11", "no-id", "%00"])(
  "the list of parked events answers 404 for %s",
  async (id) => {
    expectRefusal(await retry(id), "NOT_FOUND");
  },
);
