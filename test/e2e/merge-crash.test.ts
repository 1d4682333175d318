import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { MergedCatalogue, MergeResult } from "#contracts/http/merges.ts";
import type { ApiClient } from "../support/api-client.ts";
import {
  type EventStoreProcess,
  startEventStoreProcess,
} from "../support/eventstore/event-store-process.ts";
import { generateEvents, randomOf } from "../support/generate-catalogue.ts";
import { catalogueOf, SWEPT, useKilledCopies, useKilledService } from "./killed.ts";

/** Enough that a merge, or a refresh of all, is not written at once. */
const MANY = 15_000;
const FEW = 2_000;
const KILLS = 3;
const BEGUN = { interval: 5, timeout: 60_000 };
const CONFIG = { timeThreshold: 0, distanceThreshold: 0, mergeStrategy: "quality", priority: "" };

async function create(client: ApiClient, seed: number, count: number): Promise<string> {
  const form = { name: `source ${seed}`, events: [...generateEvents(seed, count)] };
  return (await client.send<{ id: string }>("POST", "/api/catalogues", form)).body.id;
}

function formOf(sources: readonly string[], config: object = {}) {
  const sourceCatalogues = sources.map((id) => ({ id, source: id }));
  return { name: "merged", sourceCatalogues, config: { ...CONFIG, ...config } };
}

async function mergeOf(client: ApiClient, sources: readonly string[], config?: object) {
  const form = formOf(sources, config);
  return (await client.send<MergeResult>("POST", "/api/merge", form)).body.catalogueId;
}

const mergedOf = async (client: ApiClient, id: string) =>
  (await client.get<MergedCatalogue>(`/api/catalogues/${id}/merge`)).body;

/** Changes every event of the source of seed 1, so that a refresh changes them all. */
async function relocate(client: ApiClient, source: string, count: number, round: number) {
  const depth = 5.4321 + round;
  const events = [...generateEvents(1, count)].map((event) => ({ ...event, depth }));
  const path = `/api/catalogues/${source}/events`;
  expect((await client.send("POST", path, { events, updateExisting: true })).status).toBe(200);
}

const exported = async (client: ApiClient, id: string) =>
  await (await client.stream(`/api/catalogues/${id}/export?format=csv`)).text();

describe("beside a copy that stays", () => {
  const copies = useKilledCopies();
  let staying: ApiClient;
  let database: Client;
  beforeAll(async () => {
    staying = await copies.clientOf();
    database = new Client({ connectionString: copies.databaseUrl });
    await database.connect();
  });
  afterAll(() => database.end());

  /** Whether a revision of the catalogue is being written. */
  async function isWriting(id: string): Promise<boolean> {
    const { rowCount } = await database.query(
      "select from read_model.catalogues where id = $1 and open_revision is not null",
      [id],
    );
    return rowCount === 1;
  }

  /** Asks for a refresh; resolves with its answer, or null where it was cut off. */
  function refresh(client: ApiClient, id: string, headers: Record<string, string> = {}) {
    const path = `/api/catalogues/${id}/merge/refresh`;
    return client.send("POST", path, {}, headers).catch(() => null);
  }

  const isBehind = async (id: string) => (await mergedOf(staying, id)).behind;

  test("a refresh killed at any moment leaves the version before or the whole one, and is made once by the same request", async () => {
    const sources = [await create(staying, 1, FEW), await create(staying, 2, FEW)];
    const id = await mergeOf(staying, sources);
    const random = randomOf(20_261_127);
    await relocate(staying, sources[0] ?? "", FEW, 0);
    const started = performance.now();
    expect((await refresh(staying, id))?.status).toBe(200);
    const refreshMs = performance.now() - started;
    for (let round = 0; round < KILLS; round += 1) {
      const copy = await copies.startCopy();
      await relocate(staying, sources[0] ?? "", FEW, 1 + round);
      const { version } = await catalogueOf(staying, id);
      const before = await exported(staying, id);
      const headers = { "idempotency-key": randomUUID() };
      const first = refresh(await copies.clientOf(copy.url), id, headers);
      await delay(random() * refreshMs * 1.2);
      await copy.kill();
      await first;
      await expect.poll(() => isWriting(id), SWEPT).toBe(false);
      const left = await catalogueOf(staying, id);
      if (left.version === version) expect(await exported(staying, id)).toBe(before);
      else expect(await isBehind(id)).toBe(false);
      // Until the process is known to be gone its request counts as running.
      await expect.poll(async () => (await refresh(staying, id, headers))?.status, SWEPT).toBe(200);
      expect(await isBehind(id)).toBe(false);
      expect((await exported(staying, id)).split("\n")).toHaveLength(before.split("\n").length);
    }
  });
});

async function statesOf(client: ApiClient): Promise<string[]> {
  const { body } = await client.get<{ catalogues: Catalogue[] }>("/api/catalogues?pageSize=100");
  return body.catalogues.map(({ name, status }) => `${name}: ${status}`).sort();
}

/** Starts a merge in the background, and resolves when it has begun to write. */
async function mergeUntilItWrites(client: ApiClient, ids: readonly string[]): Promise<string> {
  const prefer = { prefer: "respond-async" };
  type Started = { operationId: string };
  const answer = await client.send<Started>("POST", "/api/merge", formOf(ids), prefer);
  expect(answer.status).toBe(202);
  await expect.poll(() => statesOf(client), BEGUN).toContain("merged: processing");
  return `/api/operations/${answer.body.operationId}`;
}

const operationOf = async (client: ApiClient, path: string) =>
  (await client.get<{ operation: Job }>(path)).body.operation;

describe.each(["postgres", "eventstoredb"])("with the log in %s", (kind) => {
  let store: EventStoreProcess | null = null;
  const sources: string[] = [];
  const SOURCES = ["source 1: active", "source 2: active"];
  beforeAll(async () => {
    if (kind === "eventstoredb") store = await startEventStoreProcess();
  });
  afterAll(() => store?.stop());
  const service = useKilledService(() => (store === null ? {} : { EVENTSTORE_URL: store.url }));

  test("a merge killed half-way leaves nothing of itself, and its operation as failed", async () => {
    for (const seed of [1, 2]) sources.push(await create(service.client, seed, 2 * MANY));
    const path = await mergeUntilItWrites(service.client, sources);
    await service.kill();
    await service.start();
    await expect
      .poll(() => operationOf(service.client, path), SWEPT)
      .toMatchObject({ status: "failed", error: { code: "UNAVAILABLE" } });
    await expect.poll(() => statesOf(service.client), SWEPT).toEqual(SOURCES);
  });

  test("a service that is stopped while it merges ends in order, streams included", async () => {
    const path = await mergeUntilItWrites(service.client, sources);
    const told = (await service.client.stream(`${path}/stream`)).text();
    expect(await service.stop()).toBe(0);
    expect(await told).toMatch(/^event: operation\n/);

    await service.start();
    const { status } = await operationOf(service.client, path);
    const merged = status === "succeeded" ? ["merged: active"] : [];
    expect(["succeeded", "failed"]).toContain(status);
    await expect.poll(() => statesOf(service.client), SWEPT).toEqual([...merged, ...SOURCES]);
  });
});

describe("while it follows its sources", () => {
  const service = useKilledService();
  /** A refresh of all takes longer than it. */
  const LONGEST_WAIT_MS = 500;

  test("a merge that is killed is left as it was or whole, says that it was cut off, and goes on", {
    timeout: 600_000,
  }, async () => {
    const random = randomOf(20_261_128);
    const sources = [await create(service.client, 1, MANY), await create(service.client, 2, MANY)];
    for (let round = 0; round < KILLS; round += 1) {
      const id = await mergeOf(service.client, sources, { follow: true, priority: undefined });
      const merged = () => mergedOf(service.client, id);
      const before = await exported(service.client, id);
      await relocate(service.client, sources[0] ?? "", MANY, round);
      const hasBegun = async () => (await merged()).follow?.last_run ?? null;
      await expect.poll(hasBegun, BEGUN).not.toBeNull();
      await delay(random() * LONGEST_WAIT_MS);
      await service.kill();

      await service.start();
      if ((await catalogueOf(service.client, id)).version === 1) {
        expect(await exported(service.client, id)).toBe(before);
        await expect.poll(async () => (await merged()).follow?.failures, SWEPT).toBe(1);
        const { follow } = await merged();
        expect(follow).toMatchObject({ parked: false, error: "The refresh was cut off" });
      }
      const path = `/api/catalogues/${id}/merge/refresh`;
      expect((await service.client.send("POST", path, {})).status).toBe(200);
      expect(await merged()).toMatchObject({ behind: false, follow: { failures: 0 } });
      expect((await catalogueOf(service.client, id)).version).toBe(2);
      expect(await exported(service.client, id)).not.toBe(before);
    }
  });
});
