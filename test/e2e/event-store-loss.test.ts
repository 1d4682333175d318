import { expect, onTestFinished, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { type ApiClient, signIn } from "../support/api-client.ts";
import { createTestDatabase } from "../support/database.ts";
import { startEventStoreProcess } from "../support/eventstore/event-store-process.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { startServiceProcess } from "../support/service-process.ts";

const ADMIN = { email: "loss@example.org", password: "only for the loss test" };

async function startAll() {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const store = await startEventStoreProcess();
  onTestFinished(store.stop);
  const service = await startServiceProcess({
    DATABASE_URL: database.url,
    EVENTSTORE_URL: store.url,
    JWT_SECRET: "a secret of the tests alone, 32 long",
    PUBLIC_BASE_URL: "http://catalogues.example.org",
    CREATE_ADMIN_USER: "true",
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT_READ: "0",
    RATE_LIMIT_WRITE: "0",
  });
  onTestFinished(async () => {
    await service.stop();
  });
  return { store, service, client: await signIn(service.url, ADMIN) };
}

const create = (client: ApiClient, name: string, count = 1) =>
  client.send<Catalogue>("POST", "/api/catalogues", {
    name,
    events: [...generateEvents(count, count)],
  });

async function eventStoreCheck(client: ApiClient): Promise<string | undefined> {
  const { body } = await client.get<ReadinessReport>("/api/ready");
  return body.checks.find(({ name }) => name === "event_store")?.status;
}

test("without its event store the service reads and is not ready, refuses changes, and comes back", async () => {
  const { store, service, client } = await startAll();
  const { body } = await create(client, "before");
  await store.kill();
  expect(await eventStoreCheck(client)).toBe("unhealthy");
  expect((await client.get("/api/health")).status).toBe(200);
  expect((await client.get(`/api/catalogues/${body.id}/events`)).status).toBe(200);
  expect(await create(client, "meanwhile")).toMatchObject({
    status: 500,
    body: { code: "DATABASE_ERROR" },
  });
  await store.restart();
  await expect.poll(() => eventStoreCheck(client), { timeout: 30_000 }).toBe("healthy");
  expect((await create(client, "after")).status).toBe(201);
  const listed = await client.get<{ catalogues: Catalogue[] }>("/api/catalogues");
  expect(listed.body.catalogues.map(({ name }) => name).sort()).toEqual(["after", "before"]);
  expect(await service.stop()).toBe(0);
});

test("catalogues that an event store acknowledges while it is killed again and again are whole", async () => {
  const { store, client } = await startAll();
  const made: string[] = [];
  let isOver = false;
  const creating = (async () => {
    for (let index = 0; !isOver; index += 1) {
      const { status, body } = await create(client, `catalogue ${index}`, 3_000);
      if (status === 201) made.push(body.id);
    }
  })();
  const another = async () => {
    const before = made.length;
    await expect.poll(() => made.length, { timeout: 60_000 }).toBeGreaterThan(before);
  };
  for (let round = 1; round <= 3; round += 1) {
    await another();
    await store.kill();
    await store.restart();
  }
  await another();
  isOver = true;
  await creating;
  for (const id of made) {
    const { body } = await client.get<{ total: number }>(`/api/catalogues/${id}/events?pageSize=1`);
    expect(body.total).toBe(3_000);
  }
  const states = async () => {
    const { body } = await client.get<{ catalogues: Catalogue[] }>("/api/catalogues?pageSize=100");
    return new Set(body.catalogues.map(({ status }) => status));
  };
  await expect.poll(states, { timeout: 60_000 }).toEqual(new Set(["active"]));
});
