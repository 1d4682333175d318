import { describe, expect, onTestFinished, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { type ApiClient, createApiClient, signIn } from "../../support/api-client.ts";
import { cli } from "../../support/cli.ts";
import { createTestDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { type Change, createEventStore } from "../../support/eventstore/event-store.ts";
import { startEventStoreServer } from "../../support/eventstore/event-store-server.ts";
import { ADMIN, startTestService } from "../../support/start-test-service.ts";

/** A database with its event store, whose backups are numbers of changes. */
async function scene() {
  const changes: Change[] = [];
  let server = await startEventStoreServer({
    store: createEventStore({ commit: (change) => changes.push(change) }),
  });
  const database = await createTestDatabase();
  onTestFinished(async () => {
    await server.stop();
    await database.drop();
  });
  const { port, url } = server;
  const variables = { DATABASE_URL: database.url, EVENTSTORE_URL: url };

  async function start() {
    const service = await startTestService(variables);
    onTestFinished(() => service.stop().then(() => undefined));
    return service;
  }

  return {
    databaseUrl: database.url,
    start,
    run: (...args: string[]) => cli(variables, ...args),
    backup: () => changes.length,
    /** The server with what it held at a backup; with nothing at 0. */
    async restore(backup: number): Promise<void> {
      await server.stop();
      const store = createEventStore();
      for (const change of changes.slice(0, backup)) store.apply(change);
      server = await startEventStoreServer({ store, port });
    },
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** A service that has made two catalogues, the second after a backup; it is stopped. */
async function backedUp(kept: Scene) {
  const service = await kept.start();
  const admin = await signIn(service.url, ADMIN);
  const first = await createCatalogue(admin, { events: [seismicEvent()], is_public: true });
  const backup = kept.backup();
  const second = await createCatalogue(admin, { events: [seismicEvent()], is_public: true });
  return { service, admin, first, second, backup };
}

const etagOf = async (client: ApiClient, id: string) =>
  (await client.get(`/api/catalogues/${id}/events`)).headers.get("etag");

describe("an event store restored from an older backup", () => {
  test("an event store restored from an older backup stops the start, and verify, with a sentence that says so", async () => {
    const kept = await scene();
    const { service, backup } = await backedUp(kept);
    await service.stop();
    await kept.restore(backup);
    await expect(kept.start()).rejects.toThrow(/ends before the read models/);
    await expect(kept.run("verify")).rejects.toThrow(/ends before the read models/);
    await expect(kept.run("rebuild", "users")).rejects.toThrow(/ends before the read models/);
  });

  test("an event store restored from an older backup is served after a rebuild of all, with entity tags that do not come again", async () => {
    const kept = await scene();
    const { service, first, second, backup, admin } = await backedUp(kept);
    const before = await etagOf(admin, first.id);
    await service.stop();
    await kept.restore(backup);
    const { exitCode, lines } = await kept.run("rebuild");
    expect([exitCode, lines.at(-1)]).toEqual([0, "The read models are those of the log as it is."]);
    expect(await kept.run("verify")).toMatchObject({ exitCode: 0 });
    const again = await kept.start();
    const client = await signIn(again.url, ADMIN);
    expect((await client.get(`/api/catalogues/${first.id}`)).status).toBe(200);
    expect((await client.get(`/api/catalogues/${second.id}`)).status).toBe(404);
    const path = `/api/catalogues/${first.id}/events`;
    const added = await client.send("POST", path, { events: [seismicEvent()] });
    expect(added.body).toMatchObject({ version: 2 });
    expect(await etagOf(client, first.id)).toMatch(/^"2-[0-9a-f]+"$/);
    expect(before).toBe('"1"');
    const body = { events: [seismicEvent()] };
    const guarded = (tag: string) => client.send("POST", path, body, { "if-match": tag });
    expect((await guarded('"2"')).status).toBe(412);
    expect((await guarded((await etagOf(client, first.id)) ?? "")).status).toBe(200);
  });

  test("an event store restored from an older backup makes a running service not ready, which refuses changes until it is back", async () => {
    const kept = await scene();
    const { service, admin, backup, first } = await backedUp(kept);
    const all = kept.backup();
    await kept.restore(backup);
    const guest = createApiClient(service.url);
    const message = async () => JSON.stringify((await guest.get("/api/ready")).body);
    await expect.poll(message, { timeout: 20_000 }).toMatch(/ends before the read models/);
    expect((await guest.get("/api/ready")).status).toBe(503);
    const change = () => admin.send("PATCH", `/api/catalogues/${first.id}`, { name: "renamed" });
    expect(await change()).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect((await guest.get(`/api/catalogues/${first.id}`)).status).toBe(200);
    await kept.restore(all);
    await expect.poll(async () => (await change()).status, { timeout: 20_000 }).toBe(200);
  });

  test("an event store restored from an older backup is not rebuilt from while a service runs", async () => {
    const kept = await scene();
    const { backup } = await backedUp(kept);
    await kept.restore(backup);
    await expect(kept.run("rebuild")).rejects.toThrow(/Stop every process of the service/);
  });
});

test("an empty event store is another log, and one with other events too", async () => {
  const kept = await scene();
  const { service } = await backedUp(kept);
  await service.stop();
  await kept.restore(0);
  await expect(kept.start()).rejects.toThrow(/is another log/);
});

test("an installation from before logs had identities gets one where its checkpoints are in the log", async () => {
  const kept = await scene();
  const { service, backup, first } = await backedUp(kept);
  await service.stop();
  const forget = `delete from event_log.known_log;
    update read_model.checkpoints set event_id = null;
    update notifications.checkpoints set event_id = null`;
  await withClient(kept.databaseUrl, (client) => client.query(forget));
  await kept.restore(backup);
  await expect(kept.start()).rejects.toThrow(/ends before the read models/);
  await kept.run("rebuild");
  await withClient(kept.databaseUrl, (client) => client.query(forget));
  const again = await kept.start();
  const path = `/api/catalogues/${first.id}`;
  expect((await createApiClient(again.url).get(path)).status).toBe(200);
});
