import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { ImportRecord } from "#contracts/http/import-history.ts";
import type { Schedule } from "#contracts/http/schedules.ts";
import { servedEvents } from "../support/agency/generated-events.ts";
import { startTestAgency, type TestAgency } from "../support/agency/test-agency.ts";
import { type ApiClient, createApiClient } from "../support/api-client.ts";
import { useService } from "../support/service.ts";
import { startServiceProcess } from "../support/service-process.ts";

const EVENTS = 3_000;
const SWEPT = { timeout: 60_000 };
const JWT_SECRET = "a secret that two copies of it share";
const ADMIN = { email: "admin@example.org", password: "a long admin password" };

let agency: TestAgency;
beforeAll(async () => {
  agency = await startTestAgency({ events: servedEvents(5, EVENTS), cap: 1_000 });
});
afterAll(() => agency.close());
beforeEach(() => agency.fail());
const shared = () => ({ JWT_SECRET, AGENCY_URL: agency.url, AGENCY_TIMEOUT: "600" });
/** The copy that stays. */
const service = useService(shared);

/** The copy that is killed. */
const startCopy = () =>
  startServiceProcess({
    ...shared(),
    DATABASE_URL: service.databaseUrl,
    PUBLIC_BASE_URL: "http://catalogues.example.org",
    ROLES: "gateway",
    AGENCY_RETRIES: "0",
    RATE_LIMIT_WRITE: "0",
  });

async function clientOf(url: string): Promise<ApiClient> {
  const login = await createApiClient(service.url).send<{ token: string }>(
    "POST",
    "/api/auth/login",
    ADMIN,
  );
  return createApiClient(url, login.body.token);
}

const historyOf = async (client: ApiClient, id: string) =>
  (await client.get<ImportRecord[]>(`/api/import/history?catalogueId=${id}`)).body;

const catalogueOf = async (client: ApiClient, id: string) =>
  (await client.get<Catalogue>(`/api/catalogues/${id}`)).body;

test("a scheduled run that is killed leaves the version before, and another process makes it again", async () => {
  const [staying, copy] = [await clientOf(service.url), await startCopy()];
  const { id } = (
    await staying.send<Catalogue>("POST", "/api/catalogues", { name: "k", events: [] })
  ).body;
  const form = { catalogueId: id, agency: "geonet", everyMinutes: 10_080, lookbackHours: 87_600 };
  const made = await staying.send<{ schedule: Schedule }>("POST", "/api/schedules", {
    ...form,
    detail: "summary",
  });
  const path = `/api/schedules/${made.body.schedule.id}`;
  let asked = 0;
  agency.fail(() => {
    asked += 1;
    return asked > 3 ? { kind: "hang" } : null;
  });
  const killed = await clientOf(copy.url);
  expect((await killed.send("POST", `${path}/run`)).status).toBe(202);
  await expect.poll(() => asked, SWEPT).toBeGreaterThan(3);
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
  const [again, cutOff, ...others] = await historyOf(staying, id);
  expect(again).toMatchObject({ new_events: event_count, errors: null });
  expect(cutOff?.errors?.at(-1)?.message).toMatch(/cut off/);
  expect(others.length).toBe(0);
});
