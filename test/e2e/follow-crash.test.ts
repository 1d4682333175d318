import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { MergeResult } from "#contracts/http/merges/merge.ts";
import type { MergedCatalogue } from "#contracts/http/merges/merged-catalogue.ts";
import { type ApiClient, signIn } from "../support/api-client.ts";
import { generateEvents, randomOf } from "../support/generate-catalogue.ts";
import { createPreparedDataDir } from "../support/prepared-data-dir.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { unlimitedFor } from "../support/unlimited-for.ts";

/** Enough that a refresh of all takes longer than the longest wait for a kill. */
const EVENTS = 15_000;
const LONGEST_WAIT_MS = 500;
const KILLS = 3;
const SWEPT = { timeout: 60_000 };
const BEGUN = { interval: 5, timeout: 60_000 };
const ADMIN = { email: "crash@example.org", password: "only for the crash test" };

let directory: { path: string; remove: () => Promise<void> };
let service: ServiceProcess;
const start = () => startServiceProcess({ ...unlimitedFor(ADMIN), DATA_DIR: directory.path });

beforeAll(async () => {
  directory = await createPreparedDataDir();
  service = await start();
});
afterAll(async () => {
  await service.stop();
  await directory.remove();
});

async function create(client: ApiClient, seed: number): Promise<string> {
  const form = { name: `source ${seed}`, events: [...generateEvents(seed, EVENTS)] };
  return (await client.send<{ id: string }>("POST", "/api/catalogues", form)).body.id;
}

/** Changes every event of the source of seed 1, so that a refresh changes them all. */
async function relocate(client: ApiClient, source: string, depth: number): Promise<void> {
  const events = [...generateEvents(1, EVENTS)].map((event) => ({ ...event, depth }));
  const path = `/api/catalogues/${source}/events`;
  expect((await client.send("POST", path, { events, updateExisting: true })).status).toBe(200);
}

const exported = async (client: ApiClient, id: string) =>
  await (await client.stream(`/api/catalogues/${id}/export?format=csv`)).text();
const mergeOf = async (client: ApiClient, id: string) =>
  (await client.get<MergedCatalogue>(`/api/catalogues/${id}/merge`)).body;
const versionOf = async (client: ApiClient, id: string) =>
  (await client.get<Catalogue>(`/api/catalogues/${id}`)).body.version;

test("a merge that is killed while it follows is left as it was or whole, says that it was cut off, and goes on", {
  timeout: 600_000,
}, async () => {
  const random = randomOf(20_261_128);
  let client = await signIn(service.url, ADMIN);
  const sources = [await create(client, 1), await create(client, 2)];
  for (let round = 0; round < KILLS; round += 1) {
    const { body } = await client.send<MergeResult>("POST", "/api/merge", {
      name: `merged ${round}`,
      sourceCatalogues: sources.map((id) => ({ id, source: id })),
      config: {
        timeThreshold: 0,
        distanceThreshold: 0,
        mergeStrategy: "quality",
        follow: true,
      },
    });
    const id = body.catalogueId;
    const before = await exported(client, id);
    await relocate(client, sources[0] ?? "", 5.4321 + round);
    const hasBegun = async () => (await mergeOf(client, id)).follow?.last_run ?? null;
    await expect.poll(hasBegun, BEGUN).not.toBeNull();
    await delay(random() * LONGEST_WAIT_MS);
    await service.kill();

    service = await start();
    client = await signIn(service.url, ADMIN);
    const failures = async () => (await mergeOf(client, id)).follow?.failures;
    if ((await versionOf(client, id)) === 1) {
      expect(await exported(client, id)).toBe(before);
      await expect.poll(failures, SWEPT).toBe(1);
      const { follow } = await mergeOf(client, id);
      expect(follow).toMatchObject({ parked: false, error: "The refresh was cut off" });
    }
    const refreshed = await client.send("POST", `/api/catalogues/${id}/merge/refresh`, {});
    expect(refreshed.status).toBe(200);
    expect(await mergeOf(client, id)).toMatchObject({ behind: false, follow: { failures: 0 } });
    expect(await versionOf(client, id)).toBe(2);
    expect(await exported(client, id)).not.toBe(before);
  }
});
