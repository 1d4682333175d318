import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Job } from "#contracts/http/jobs.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { endOf } from "../../support/api/operations.ts";
import { rawGet } from "../../support/api/raw-request.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { requestBytes } from "../../support/rude-client.ts";
import { useService } from "../../support/service.ts";

/** How what is too much here is still asked. */
const BY_PARTS =
  "take fewer, or publish the parts of their catalogues (PATCH {parts: true}) and ask an engine";

const WAIT = { timeout: 60_000, interval: 20 };

const service = useService({ TRUST_PROXY: "true" });
const editor = service.client("editor");
let database: Client;
let id = "";
beforeAll(async () => {
  const events = Array.from({ length: 40 }, (_, i) =>
    seismicEvent({ magnitude: 2 + (i % 20) / 10, time: `2020-01-${10 + (i % 20)}T00:00:00Z` }),
  );
  ({ id } = await createCatalogue(editor, { events, is_public: true }));
  database = new Client({ connectionString: service.databaseUrl });
  await database.connect();
});
afterAll(() => database.end());

/** Nobody reads a table until then: whatever reads it waits. */
async function hold(table: string): Promise<void> {
  await database.query("begin");
  await database.query(`lock table ${table} in access exclusive mode`);
}
const letGo = () => database.query("rollback");

const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await letGo();
});

async function send(method: string, path: string, from: string, body?: object): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  sockets.add(socket);
  await once(socket, "connect");
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = { "x-forwarded-for": from, "content-type": "application/json" };
  const length = { "content-length": String(text.length) };
  socket.write(requestBytes({ method, path, headers: { ...headers, ...(body && length) } }));
  socket.write(text);
  return socket;
}

/** How answers stand, by kind; that of these numbers is none. */
async function counted(metric: "running" | "waiting", kind: string): Promise<number> {
  const { text } = await rawGet(service.url, "/metrics");
  return Number(new RegExp(`^answers_${metric}\\{kind="${kind}"\\} (\\d+)$`, "m").exec(text)?.[1]);
}
const untilCounted = (metric: "running" | "waiting", kind: string, count: number) =>
  vi.waitFor(async () => expect(await counted(metric, kind)).toBe(count), WAIT);

const bValue = (seed: number) => `/api/catalogues/${id}/analytics/b-value?mc=2&seed=${seed}`;

test("whoever asks for an analysis first and leaves the queue takes it from nobody who shares it", async () => {
  await hold("read_model.seismic_events");
  await send("GET", bValue(0), "192.0.2.9");
  await untilCounted("running", "analyses", 1);
  const first = await send("GET", bValue(1), "192.0.2.1");
  await untilCounted("waiting", "analyses", 1);
  const others = ["192.0.2.2", "192.0.2.3"].map((from) =>
    rawGet(service.url, bValue(1), { "x-forwarded-for": from }),
  );
  await untilCounted("running", "others", 4);
  first.destroy();
  await untilCounted("running", "others", 3);
  expect(await counted("waiting", "analyses")).toBe(1);
  await letGo();
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
});

describe("analyses in the background", () => {
  const start = async (seed: number) => {
    const headers = { prefer: "respond-async" };
    const answer = await editor.get<{ operationId: string }>(bValue(seed), headers);
    return answer.body.operationId;
  };
  const end = (job: string) => editor.send<{ operation: Job }>("DELETE", `/api/operations/${job}`);

  test("analyses in the background run in their turns, so many of one caller, and end when they are told to", async () => {
    await hold("read_model.seismic_events");
    const jobs = await Promise.all(Array.from({ length: 64 }, (_, seed) => start(100 + seed)));
    await untilCounted("running", "analyses", 1);
    await untilCounted("waiting", "analyses", 63);
    const refused = await editor.get(bValue(99), { prefer: "respond-async" });
    expectRefusal(refused, "RATE_LIMIT_EXCEEDED");
    const ended = await Promise.all(jobs.map(end));
    expect(new Set(ended.map(({ body }) => body.operation.status))).toEqual(new Set(["cancelled"]));
    await untilCounted("waiting", "analyses", 0);
  });
});

describe("comparisons by a guest", () => {
  const compare = (eta: number) => ({ a: id, b: id, timeThreshold: 5, distanceThreshold: 5, eta });

  /** Threads that read for a comparison, each with a connection. */
  const comparing = async () => {
    const other = new Client({ connectionString: service.databaseUrl });
    await other.connect();
    const { rows } = await other.query(
      "select count(*)::int as n from pg_stat_activity where application_name like '%compare%' and datname = current_database()",
    );
    await other.end();
    return rows[0].n as number;
  };

  test("comparisons by a guest have one thread and a few who wait, and end when the guest leaves", async () => {
    await hold("read_model.seismic_events");
    const guest: Socket[] = [];
    for (let i = 1; i <= 9; i += 1) {
      guest.push(await send("POST", "/api/compare", "192.0.2.7", compare(i)));
    }
    await untilCounted("running", "others", 9);
    await vi.waitFor(async () => expect(await comparing()).toBe(1), WAIT);
    const tenth = await fetch(`${service.url}/api/compare`, {
      method: "POST",
      headers: { "x-forwarded-for": "192.0.2.7", "content-type": "application/json" },
      body: JSON.stringify(compare(10)),
    });
    expect([tenth.status, Number(tenth.headers.get("retry-after")) > 0]).toEqual([429, true]);

    const own = editor.send("POST", "/api/compare", compare(11));
    await vi.waitFor(async () => expect(await comparing()).toBe(2), WAIT);
    for (const socket of guest) socket.destroy();
    await vi.waitFor(async () => expect(await comparing()).toBe(1), WAIT);
    await letGo();
    expect((await own).status).toBe(200);
  });

  test("comparisons of more than two million events are refused", async () => {
    const { id: large } = await createCatalogue(editor, { events: [seismicEvent()] });
    await database.query("update read_model.catalogues set event_count = 1000001 where id = $1", [
      large,
    ]);
    const answer = await editor.send("POST", "/api/compare", { ...compare(1), a: large, b: large });
    expectRefusal(answer, "TOO_MANY_EVENTS", `2000002 events, more than 2000000: ${BY_PARTS}`);
  });
});

test("declustering of more than two million events is refused, unless filters leave fewer", async () => {
  // Each of the 40 events counts 50,001 times.
  await database.query(`
    alter table read_model.seismic_events rename to own_events;
    create view read_model.seismic_events as
      select own_events.* from read_model.own_events, generate_series(1, 50001)`);
  onTestFinished(async () => {
    await database.query(`
      drop view read_model.seismic_events;
      alter table read_model.own_events rename to seismic_events`);
  });
  const decluster = (filters: object) =>
    editor.send("POST", `/api/catalogues/${id}/analytics/decluster`, {
      method: "gardner-knopoff",
      ...filters,
    });
  const text = `2000040 events, more than 2000000: ${BY_PARTS}`;
  expectRefusal(await decluster({}), "TOO_MANY_EVENTS", text);
  expect((await decluster({ minMagnitude: 9 })).status).toBe(200);
});

test("a result of declustering that is dropped meanwhile is gone, and makes no catalogue", async () => {
  const decluster = `/api/catalogues/${id}/analytics/decluster`;
  const { body } = await editor.send<{ result: string }>("POST", decluster, {
    method: "gardner-knopoff",
  });
  const listed = async () =>
    (await editor.get<{ catalogues: unknown[] }>("/api/catalogues")).body.catalogues.length;
  const before = await listed();
  await hold("read_model.catalogue_versions");
  const made = editor.send<{ operationId: string }>(
    "POST",
    `${decluster}/${body.result}/catalogue`,
    { name: "main events", role: "main" },
    { prefer: "respond-async" },
  );
  // The result was there when it was asked for; its version is looked up now.
  await vi.waitFor(async () => {
    const { rows } = await database.query("select from pg_locks where not granted");
    expect(rows.length).toBeGreaterThan(0);
  }, WAIT);
  await database.query("delete from operations.decluster_results where id = $1", [body.result]);
  await database.query("commit");
  const job = await endOf(editor, (await made).body.operationId);
  expect(job).toMatchObject({ status: "failed", error: { code: "GONE" } });
  // What was begun of it may still be listed.
  await expect.poll(listed).toBe(before);
});
