import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { Job } from "#contracts/http/jobs.ts";
import { type ApiClient, signIn } from "../support/api-client.ts";
import {
  type EventStoreProcess,
  startEventStoreProcess,
} from "../support/eventstore/event-store-process.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { createPreparedDataDir } from "../support/prepared-data-dir.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { unlimitedFor } from "../support/unlimited-for.ts";

const EVENTS = 30_000;
const ADMIN = { email: "crash@example.org", password: "only for the crash test" };
const VARIABLES = unlimitedFor(ADMIN);

async function catalogues(client: ApiClient): Promise<string[]> {
  const { body } = await client.get<{ catalogues: Catalogue[] }>("/api/catalogues?pageSize=100");
  return body.catalogues.map(({ name, status }) => `${name}: ${status}`).sort();
}

/** Starts a merge in the background, and resolves when it has begun to write. */
async function mergeUntilItWrites(client: ApiClient, ids: readonly string[]): Promise<string> {
  const body = {
    name: "merged",
    sourceCatalogues: ids.map((id) => ({ id, source: id })),
    config: { timeThreshold: 0, distanceThreshold: 0, mergeStrategy: "quality", priority: "" },
  };
  const prefer = { prefer: "respond-async" };
  const answer = await client.send<{ operationId: string }>("POST", "/api/merge", body, prefer);
  expect(answer.status).toBe(202);
  await expect
    .poll(() => catalogues(client), { interval: 5, timeout: 30_000 })
    .toContain("merged: processing");
  return `/api/operations/${answer.body.operationId}`;
}

async function operationOf(client: ApiClient, path: string): Promise<Job> {
  return (await client.get<{ operation: Job }>(path)).body.operation;
}

describe.each(["postgres", "eventstoredb"])("with the log in %s", (kind) => {
  let directory: { path: string; remove: () => Promise<void> };
  let store: EventStoreProcess | null;
  let service: ServiceProcess;
  const start = () =>
    startServiceProcess({
      ...VARIABLES,
      DATA_DIR: directory.path,
      ...(store && { EVENTSTORE_URL: store.url }),
    });

  beforeAll(async () => {
    directory = await createPreparedDataDir();
    store = kind === "eventstoredb" ? await startEventStoreProcess() : null;
    service = await start();
  });
  afterAll(async () => {
    await service.stop();
    await store?.stop();
    await directory.remove();
  });

  test("a merge killed half-way leaves nothing of itself, and its operation as failed", async () => {
    const client = await signIn(service.url, ADMIN);
    const ids: string[] = [];
    for (const seed of [1, 2]) {
      const form = { name: `source ${seed}`, events: [...generateEvents(seed, EVENTS)] };
      ids.push((await client.send<{ id: string }>("POST", "/api/catalogues", form)).body.id);
    }
    const sources = ["source 1: active", "source 2: active"];
    const path = await mergeUntilItWrites(client, ids);
    await service.kill();

    service = await start();
    const again = await signIn(service.url, ADMIN);
    await expect
      .poll(() => operationOf(again, path), { timeout: 30_000 })
      .toMatchObject({ status: "failed", error: { code: "UNAVAILABLE" } });
    await expect.poll(() => catalogues(again), { timeout: 30_000 }).toEqual(sources);
  });

  test("a service that is stopped while it merges ends in order, streams included", async () => {
    const client = await signIn(service.url, ADMIN);
    const { body } = await client.get<{ catalogues: Catalogue[] }>("/api/catalogues");
    const path = await mergeUntilItWrites(
      client,
      body.catalogues.map(({ id }) => id),
    );
    const stream = await client.stream(`${path}/stream`);
    const told = stream.text();
    expect(await service.stop()).toBe(0);
    expect(await told).toMatch(/^event: operation\n/);

    service = await start();
    const again = await signIn(service.url, ADMIN);
    const { status } = await operationOf(again, path);
    const merged = status === "succeeded" ? ["merged: active"] : [];
    expect(["succeeded", "failed"]).toContain(status);
    await expect
      .poll(() => catalogues(again), { timeout: 30_000 })
      .toEqual([...merged, "source 1: active", "source 2: active"]);
  });
});
