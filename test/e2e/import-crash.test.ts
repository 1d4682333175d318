import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { ImportRecord } from "#contracts/http/import-history.ts";
import type { ImportResult } from "#contracts/http/imports.ts";
import { servedEvents } from "../support/agency/generated-events.ts";
import { startTestAgency, type TestAgency } from "../support/agency/test-agency.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "../support/api-client.ts";
import { randomOf } from "../support/generate-catalogue.ts";
import { useService } from "../support/service.ts";
import { startServiceProcess } from "../support/service-process.ts";

const EVENTS = 3_000;
const KILLS = 4;
const SWEPT = { timeout: 60_000 };
const JWT_SECRET = "a secret that two copies of it share";
const ADMIN = { email: "admin@example.org", password: "a long admin password" };

let agency: TestAgency;
beforeAll(async () => {
  agency = await startTestAgency({ events: servedEvents(5, EVENTS), cap: 1_000 });
});
afterAll(() => agency.close());
beforeEach(() => agency.fail());
/** The copy that stays. */
const service = useService(() => ({ JWT_SECRET, AGENCY_URL: agency.url }));

/** The copy that is killed. */
const startCopy = () =>
  startServiceProcess({
    DATABASE_URL: service.databaseUrl,
    PUBLIC_BASE_URL: "http://catalogues.example.org",
    JWT_SECRET,
    ROLES: "gateway",
    AGENCY_URL: agency.url,
    AGENCY_RETRIES: "0",
    // Whoever waits for the agency waits until it is killed.
    AGENCY_TIMEOUT: "600",
    RATE_LIMIT_WRITE: "0",
  });

async function clientOf(url: string): Promise<ApiClient> {
  const { body } = await createApiClient(service.url).send<{ token: string }>(
    "POST",
    "/api/auth/login",
    ADMIN,
  );
  return createApiClient(url, body.token);
}

function importInto(
  client: ApiClient,
  body: Readonly<Record<string, unknown>>,
  headers: Record<string, string> = {},
): Promise<ApiAnswer<ImportResult>> {
  const window = { startDate: "2014-01-01", endDate: "2024-01-01" };
  return client.send("POST", "/api/import/agency", { ...window, ...body }, headers);
}

async function historyOf(client: ApiClient, catalogueId: string): Promise<ImportRecord[]> {
  const path = `/api/import/history?catalogueId=${catalogueId}`;
  return (await client.get<ImportRecord[]>(path)).body;
}

async function named(client: ApiClient, name: string): Promise<readonly Catalogue[]> {
  const path = `/api/catalogues?search=${name}`;
  return (await client.get<{ catalogues: Catalogue[] }>(path)).body.catalogues;
}

test("an import killed half-way ends as failed with its counts, and the next one is whole", async () => {
  const [staying, copy] = [await clientOf(service.url), await startCopy()];
  const form = { name: "killed", events: [] };
  const { id } = (await staying.send<Catalogue>("POST", "/api/catalogues", form)).body;
  let answered = 0;
  agency.fail(() => {
    answered += 1;
    return answered > 6 ? { kind: "hang" } : null;
  });
  const database = new Client({ connectionString: service.databaseUrl });
  await database.connect();
  onTestFinished(() => database.end());
  const kept = async (): Promise<number> => {
    const { rows } = await database.query<{ fetched: number }>(
      `select (tally->>'totalFetched')::int as fetched from operations.import_progress
       where catalogue_id = $1`,
      [id],
    );
    return rows[0]?.fetched ?? 0;
  };
  const cutOff = importInto(await clientOf(copy.url), { catalogueId: id });
  const answer = expect(cutOff).rejects.toThrow();
  await expect.poll(kept, SWEPT).toBeGreaterThan(0);
  await copy.kill();
  await answer;

  await expect.poll(() => historyOf(staying, id), SWEPT).toHaveLength(1);
  const [run] = await historyOf(staying, id);
  expect(run?.new_events).toBeGreaterThan(0);
  expect(run?.total_fetched).toBe(run?.new_events);
  expect(run?.errors).toEqual([{ message: "The import was cut off: its worker is gone" }]);
  expect(await kept()).toBe(0);
  const { body: before } = await staying.get<Catalogue>(`/api/catalogues/${id}`);
  expect(before).toMatchObject({ status: "active", version: 1, event_count: 0 });

  agency.fail();
  const { body: result } = await importInto(staying, { catalogueId: id });
  expect(result).toMatchObject({ success: true, newEvents: EVENTS, skippedEvents: 0 });
  const { body: after } = await staying.get<Catalogue>(`/api/catalogues/${id}`);
  expect(after).toMatchObject({ event_count: EVENTS });
});

test("imports killed at any moment are made once by the same requests to another copy", async () => {
  const staying = await clientOf(service.url);
  const random = randomOf(20_161_114);
  const started = performance.now();
  expect((await importInto(staying, {})).status).toBe(200);
  const importMs = performance.now() - started;
  for (let round = 0; round < KILLS; round += 1) {
    const copy = await startCopy();
    const name = `killed-${randomUUID()}`;
    const headers = { "idempotency-key": randomUUID() };
    const client = await clientOf(copy.url);
    const first = importInto(client, { catalogueName: name }, headers).then(
      ({ status }) => status,
      () => "cut off",
    );
    await delay(random() * importMs * 1.5);
    await copy.kill();
    expect([200, "cut off"]).toContain(await first);
    const again = () => importInto(staying, { catalogueName: name }, headers);
    // Until the process is known to be gone its request counts as running.
    await expect.poll(async () => (await again()).status, SWEPT).toBe(200);
    const { catalogueId } = (await again()).body;
    const catalogues = await named(staying, name);
    expect(catalogues).toMatchObject([{ id: catalogueId, status: "active", event_count: EVENTS }]);
    const history = await historyOf(staying, catalogueId);
    expect(history[0]).toMatchObject({ new_events: EVENTS, errors: null });
    expect(history.length).toBeLessThanOrEqual(2);
  }
});
