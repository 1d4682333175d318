import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { ImportRecord, ImportResult, Schedule } from "#contracts/http/imports.ts";
import { servedEvents } from "../support/agency/generated-events.ts";
import { startTestAgency, type TestAgency } from "../support/agency/test-agency.ts";
import type { ApiAnswer, ApiClient } from "../support/api-client.ts";
import { withClient } from "../support/database-template.ts";
import { randomOf } from "../support/generate-catalogue.ts";
import { catalogueOf, SWEPT, useKilledCopies } from "./killed.ts";

const EVENTS = 3_000;
const KILLS = 4;

let agency: TestAgency;
beforeAll(async () => {
  agency = await startTestAgency({ events: servedEvents(5, EVENTS), cap: 1_000 });
});
afterAll(() => agency.close());
beforeEach(() => agency.fail());
// Whoever waits for the agency waits until it is killed.
const PATIENT = { AGENCY_RETRIES: "0", AGENCY_TIMEOUT: "600" };
const copies = useKilledCopies(() => ({ ...PATIENT, AGENCY_URL: agency.url }));
let staying: ApiClient;
beforeAll(async () => {
  staying = await copies.clientOf();
});

/** The agency answers so many requests, and then no more; how many it was asked. */
function hangAfter(answers: number): () => number {
  let asked = 0;
  agency.fail(() => {
    asked += 1;
    return asked > answers ? { kind: "hang" } : null;
  });
  return () => asked;
}

async function emptyCatalogue(): Promise<string> {
  const form = { name: "killed", events: [] };
  return (await staying.send<Catalogue>("POST", "/api/catalogues", form)).body.id;
}

function importInto(
  client: ApiClient,
  body: Readonly<Record<string, unknown>>,
  headers: Record<string, string> = {},
): Promise<ApiAnswer<ImportResult>> {
  const window = { startDate: "2014-01-01", endDate: "2024-01-01" };
  return client.send("POST", "/api/import/agency", { ...window, ...body }, headers);
}

async function historyOf(id: string): Promise<ImportRecord[]> {
  return (await staying.get<ImportRecord[]>(`/api/import/history?catalogueId=${id}`)).body;
}

test("an import killed half-way ends as failed with its counts, and the next one is whole", async () => {
  const copy = await copies.startCopy();
  const id = await emptyCatalogue();
  hangAfter(6);
  const kept = () =>
    withClient(copies.databaseUrl, async (database) => {
      const { rows } = await database.query<{ fetched: number }>(
        `select (tally->>'totalFetched')::int as fetched from operations.import_progress
         where catalogue_id = $1`,
        [id],
      );
      return rows[0]?.fetched ?? 0;
    });
  const cutOff = importInto(await copies.clientOf(copy.url), { catalogueId: id });
  const answer = expect(cutOff).rejects.toThrow();
  await expect.poll(kept, SWEPT).toBeGreaterThan(0);
  await copy.kill();
  await answer;

  await expect.poll(() => historyOf(id), SWEPT).toHaveLength(1);
  const [run] = await historyOf(id);
  expect(run?.new_events).toBeGreaterThan(0);
  expect(run?.total_fetched).toBe(run?.new_events);
  expect(run?.errors).toEqual([{ message: "The import was cut off: its worker is gone" }]);
  expect(await kept()).toBe(0);
  const nothing = { status: "active", version: 1, event_count: 0 };
  expect(await catalogueOf(staying, id)).toMatchObject(nothing);

  agency.fail();
  const { body: result } = await importInto(staying, { catalogueId: id });
  expect(result).toMatchObject({ success: true, newEvents: EVENTS, skippedEvents: 0 });
  expect(await catalogueOf(staying, id)).toMatchObject({ event_count: EVENTS });
});

test("imports killed at any moment are made once by the same requests to another copy", async () => {
  const random = randomOf(20_161_114);
  const started = performance.now();
  expect((await importInto(staying, {})).status).toBe(200);
  const importMs = performance.now() - started;
  for (let round = 0; round < KILLS; round += 1) {
    const copy = await copies.startCopy();
    const name = `killed-${randomUUID()}`;
    const headers = { "idempotency-key": randomUUID() };
    const first = importInto(await copies.clientOf(copy.url), { catalogueName: name }, headers);
    const told = first.then(
      ({ status }) => status,
      () => "cut off",
    );
    await delay(random() * importMs * 1.5);
    await copy.kill();
    expect([200, "cut off"]).toContain(await told);
    const again = () => importInto(staying, { catalogueName: name }, headers);
    // Until the process is known to be gone its request counts as running.
    await expect.poll(async () => (await again()).status, SWEPT).toBe(200);
    const { catalogueId: id } = (await again()).body;
    const listed = await staying.get<{ catalogues: Catalogue[] }>(`/api/catalogues?search=${name}`);
    const whole = { id, status: "active", event_count: EVENTS };
    expect(listed.body.catalogues).toMatchObject([whole]);
    const history = await historyOf(id);
    expect(history[0]).toMatchObject({ new_events: EVENTS, errors: null });
    expect(history.length).toBeLessThanOrEqual(2);
  }
});

test("a scheduled run that is killed leaves the version before, and another process makes it again", async () => {
  const copy = await copies.startCopy();
  const id = await emptyCatalogue();
  const form = { catalogueId: id, agency: "geonet", everyMinutes: 10_080, lookbackHours: 87_600 };
  const made = await staying.send<{ schedule: Schedule }>("POST", "/api/schedules", {
    ...form,
    detail: "summary",
  });
  const path = `/api/schedules/${made.body.schedule.id}`;
  const asked = hangAfter(3);
  const killed = await copies.clientOf(copy.url);
  expect((await killed.send("POST", `${path}/run`)).status).toBe(202);
  await expect.poll(asked, SWEPT).toBeGreaterThan(3);
  expect(await catalogueOf(staying, id)).toMatchObject({ version: 1, event_count: 0 });
  await copy.kill();
  agency.fail();

  const hasRun = async () => (await staying.get<{ schedule: Schedule }>(path)).body.schedule;
  await expect
    .poll(async () => (await hasRun()).last_whole !== null && !(await hasRun()).running, SWEPT)
    .toBe(true);
  expect(await hasRun()).toMatchObject({ failures: 0, error: null });
  const { event_count } = await catalogueOf(staying, id);
  expect(event_count).toBeGreaterThan(1_000);
  const [again, cutOff, ...others] = await historyOf(id);
  expect(again).toMatchObject({ new_events: event_count, errors: null });
  expect(cutOff?.errors?.at(-1)?.message).toMatch(/cut off/);
  expect(others.length).toBe(0);
});
