import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { MergeResult } from "#contracts/http/merges/merge.ts";
import type { MergedCatalogue } from "#contracts/http/merges/merged-catalogue.ts";
import { type ApiClient, createApiClient } from "../support/api-client.ts";
import { generateEvents, randomOf } from "../support/generate-catalogue.ts";
import { signInOf, useService } from "../support/service.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";

/** Enough that a refresh of all is not written at once. */
const MANY = 15_000;
const FEW = 2_000;
const KILLS = 3;
const SWEPT = { timeout: 60_000 };
const JWT_SECRET = "a secret that two copies of it share";
const CONFIG = { timeThreshold: 0, distanceThreshold: 0, mergeStrategy: "quality", priority: "" };

/** The copy that stays. */
const service = useService({ JWT_SECRET });
let database: Client;
beforeAll(async () => {
  database = new Client({ connectionString: service.databaseUrl });
  await database.connect();
});
afterAll(() => database.end());

/** The copy that is killed. */
const startCopy = (): Promise<ServiceProcess> =>
  startServiceProcess({
    DATABASE_URL: service.databaseUrl,
    PUBLIC_BASE_URL: "http://catalogues.example.org",
    JWT_SECRET,
    ROLES: "gateway",
    RATE_LIMIT_WRITE: "0",
  });

async function clientOf(url: string): Promise<ApiClient> {
  const path = "/api/auth/login";
  const login = await createApiClient(service.url).send<{ token: string }>(
    "POST",
    path,
    signInOf("admin"),
  );
  return createApiClient(url, login.body.token);
}

async function create(client: ApiClient, seed: number, count: number): Promise<string> {
  const form = { name: `source ${seed}`, events: [...generateEvents(seed, count)] };
  return (await client.send<{ id: string }>("POST", "/api/catalogues", form)).body.id;
}

function mergeOf(client: ApiClient, sources: readonly string[]) {
  const sourceCatalogues = sources.map((id) => ({ id, source: id }));
  const form = { name: "merged", sourceCatalogues, config: CONFIG };
  return client.send<MergeResult>("POST", "/api/merge", form);
}

/** Changes every event of the source of seed 1, so that a refresh changes them all. */
async function relocate(
  client: ApiClient,
  source: string,
  count: number,
  round: number,
): Promise<void> {
  const depth = 5.4321 + round;
  const events = [...generateEvents(1, count)].map((event) => ({ ...event, depth }));
  const path = `/api/catalogues/${source}/events`;
  const { status } = await client.send("POST", path, { events, updateExisting: true });
  expect(status).toBe(200);
}

async function exported(client: ApiClient, id: string): Promise<string> {
  return await (await client.stream(`/api/catalogues/${id}/export?format=csv`)).text();
}

async function catalogueOf(client: ApiClient, id: string): Promise<Catalogue> {
  return (await client.get<Catalogue>(`/api/catalogues/${id}`)).body;
}

async function isBehind(client: ApiClient, id: string): Promise<boolean> {
  return (await client.get<MergedCatalogue>(`/api/catalogues/${id}/merge`)).body.behind;
}

/** Whether a revision of the catalogue is being written. */
async function isWriting(id: string): Promise<boolean> {
  const { rows } = await database.query(
    "select from read_model.catalogues where id = $1 and open_revision is not null",
    [id],
  );
  return rows.length > 0;
}

/** Asks for a refresh; resolves with its status, or that it was cut off. */
function refresh(client: ApiClient, id: string, headers: Record<string, string> = {}) {
  const path = `/api/catalogues/${id}/merge/refresh`;
  return client.send<{ version: number; updated: number }>("POST", path, {}, headers).then(
    (answer) => answer,
    () => null,
  );
}

test("a refresh killed while it writes leaves the version before, and the next one is whole", async () => {
  const staying = await clientOf(service.url);
  const sources = [await create(staying, 1, MANY), await create(staying, 2, MANY)];
  const { catalogueId: id } = (await mergeOf(staying, sources)).body;
  const before = await exported(staying, id);
  await relocate(staying, sources[0] ?? "", MANY, 0);

  const copy = await startCopy();
  const cutOff = refresh(await clientOf(copy.url), id);
  await expect.poll(() => isWriting(id), { interval: 2, timeout: 60_000 }).toBe(true);
  await copy.kill();
  expect(await cutOff).toBeNull();
  await expect.poll(() => isWriting(id), SWEPT).toBe(false);
  expect(await catalogueOf(staying, id)).toMatchObject({ status: "active", version: 1 });
  expect(await exported(staying, id)).toBe(before);
  expect(await isBehind(staying, id)).toBe(true);

  const again = await refresh(staying, id);
  expect(again?.body).toMatchObject({ added: 0, updated: MANY, removed: 0 });
  expect(await isBehind(staying, id)).toBe(false);
  const fromScratch = (await mergeOf(staying, sources)).body.catalogueId;
  expect(withoutIds(await exported(staying, id))).toEqual(
    withoutIds(await exported(staying, fromScratch)),
  );
});

test("a refresh killed at any moment leaves the version before or the whole one, and is made once by the same request", async () => {
  const staying = await clientOf(service.url);
  const sources = [await create(staying, 1, FEW), await create(staying, 2, FEW)];
  const { catalogueId: id } = (await mergeOf(staying, sources)).body;
  const random = randomOf(20_261_127);
  await relocate(staying, sources[0] ?? "", FEW, 0);
  const started = performance.now();
  expect((await refresh(staying, id))?.status).toBe(200);
  const refreshMs = performance.now() - started;
  for (let round = 0; round < KILLS; round += 1) {
    const copy = await startCopy();
    await relocate(staying, sources[0] ?? "", FEW, 1 + round);
    const { version } = await catalogueOf(staying, id);
    const before = await exported(staying, id);
    const headers = { "idempotency-key": randomUUID() };
    const first = refresh(await clientOf(copy.url), id, headers);
    await delay(random() * refreshMs * 1.2);
    await copy.kill();
    await first;
    await expect.poll(() => isWriting(id), SWEPT).toBe(false);
    const left = await catalogueOf(staying, id);
    if (left.version === version) expect(await exported(staying, id)).toBe(before);
    else expect(await isBehind(staying, id)).toBe(false);
    // Until the process is known to be gone its request counts as running.
    await expect.poll(async () => (await refresh(staying, id, headers))?.status, SWEPT).toBe(200);
    expect(await isBehind(staying, id)).toBe(false);
    expect((await exported(staying, id)).split("\n")).toHaveLength(before.split("\n").length);
  }
});

/** The lines of an export without the first column, in an order of their own. */
function withoutIds(csv: string): string[] {
  return csv
    .split("\n")
    .map((line) => line.slice(line.indexOf(",") + 1))
    .sort();
}
