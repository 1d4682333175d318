import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { Job, ListedJob } from "#contracts/http/jobs.ts";
import type { FoundJob, JobStore } from "#infra/stores/jobs.ts";
import { createStreamPlaces } from "#services/gateway/feed/streams.ts";
import type { Actor } from "#services/handler.ts";
import type { HandlerDeps } from "#services/handler-deps.ts";
import { handlersOfJobs } from "#services/jobs/handlers.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { keyed } from "../../support/api/keyed.ts";
import { mergeForm, type Source, sourceOf } from "../../support/api/merges.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import { buildBareApp } from "../../support/bare-app.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";

/** Of a merge that runs for a while, and of one that is only to end. */
const [EVENTS, FEW_EVENTS] = [3_000, 100];
const ASYNC = { prefer: "respond-async" };

const service = sharedService();
const client = service.client("editor");
let sources: Source[];
let small: Source[];
const sourcesOf = async (count: number) => [
  await sourceOf(client, "one", [...generateEvents(1, count)]),
  await sourceOf(client, "other", [...generateEvents(2, count)]),
];
beforeAll(async () => {
  sources = await sourcesOf(EVENTS);
  small = await sourcesOf(FEW_EVENTS);
});

type Answer = { operation: Job };
type Started = ApiAnswer<{ operationId: string }>;

function pathOf({ status, body, headers }: Started): string {
  expect(status, JSON.stringify(body)).toBe(202);
  const path = `/api/operations/${body.operationId}`;
  expect(headers.get("location")).toBe(path);
  return path;
}

const post = (path: string, body: unknown, headers = {}, by = client): Promise<Started> =>
  by.send("POST", path, body, { ...ASYNC, ...headers });
const startMerge = async (of: readonly Source[], by = client) =>
  pathOf(await post("/api/merge", mergeForm(of), {}, by));

/** A merge that fails once it runs: it decides on events that no source has. */
async function startFailing(by = client): Promise<string> {
  const { config, ...form } = mergeForm(small);
  const event = () => ({ catalogue_id: randomUUID(), event_id: randomUUID() });
  const decisions = [{ type: "same", events: [event(), event()] }];
  return pathOf(await post("/api/merge", { ...form, config: { ...config, decisions } }, {}, by));
}

const jobOf = async (path: string, by = client) => (await by.get<Answer>(path)).body.operation;

/** The operation once it has ended. */
async function ended(path: string, by = client): Promise<Job> {
  const status = async () => (await jobOf(path, by)).status;
  await expect.poll(status, { timeout: 60_000 }).not.toBe("running");
  return jobOf(path, by);
}

/** The operations that a stream tells of, to its end. */
async function listen(by: ApiClient, path: string): Promise<Job[]> {
  const response = await by.stream(`${path}/stream`);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const text = await response.text();
  return text
    .split("\n\n")
    .filter((event) => event.startsWith("event: operation\n"))
    .map((event) => (JSON.parse(event.slice(event.indexOf("data: ") + 6)) as Answer).operation);
}

const catalogueOf = async (id: unknown) =>
  (await client.get<Catalogue>(`/api/catalogues/${id}`)).body;
const total = async (query = "") =>
  (await client.get<{ total: number }>(`/api/catalogues${query}`)).body.total;

describe("a merge with Prefer: respond-async", () => {
  test("is answered 202 with the operation, which ends with the answer of a merge, and is not cancelled then", async () => {
    const prefer = { prefer: "wait=5, Respond-Async" };
    const answer = await post("/api/merge", mergeForm(small), prefer);
    expect(answer.headers.get("preference-applied")).toBe("respond-async");
    const path = pathOf(answer);
    const job = await ended(path);
    expect((await client.get(path)).headers.get("cache-control")).toBe("no-store");
    const { eventCount } = job.result as { eventCount: number };
    expect(job).toEqual({
      id: answer.body.operationId,
      kind: "merge",
      status: "succeeded",
      progress: { done: eventCount, total: eventCount, unit: "events" },
      result: {
        success: true,
        catalogueId: expect.any(String),
        eventCount,
        originalEventCount: 2 * FEW_EVENTS,
        duplicateGroups: expect.any(Number),
        duplicatesRemoved: 2 * FEW_EVENTS - eventCount,
      },
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const catalogue = { status: "active", event_count: eventCount };
    expect(await catalogueOf(job.result?.["catalogueId"])).toMatchObject(catalogue);
    expectRefusal(await client.send("DELETE", path), "CONFLICT");
    expect((await jobOf(path)).status).toBe("succeeded");
  });

  test("ends as failed with the error that the request would have been answered, or is refused at once where it is wrong itself", async () => {
    const job = await ended(await startFailing());
    expect(job).toMatchObject({ status: "failed", error: { code: "VALIDATION_ERROR" } });
    expect(job.error?.error).toContain("the first is an event of no source");
    expect(job).not.toHaveProperty("result");
    const nameless = { ...mergeForm(small), name: " " };
    expectRefusal(await post("/api/merge", nameless), "MISSING_NAME");
    expectRefusal(await post("/api/merge", mergeForm(small.slice(0, 1))), "VALIDATION_ERROR");
    const unknown = { id: randomUUID(), source: "s" };
    const withUnknown = mergeForm([...small.slice(0, 1), unknown]);
    expectRefusal(await post("/api/merge", withUnknown), "NOT_FOUND");
    const prefer = { prefer: "return=minimal, respond-asynchronously" };
    expect((await post("/api/merge", mergeForm(small), prefer)).status).toBe(200);
  });

  test("is told of by its stream until it has ended; cancelled, it leaves nothing", async () => {
    const path = await startMerge(sources);
    const told = await listen(client, path);
    expect([told.at(0)?.status, told.at(-1)?.status]).toEqual(["running", "succeeded"]);
    const done = told.map(({ progress }) => progress.done);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(await listen(client, path)).toEqual(told.slice(-1));

    const before = await total();
    const other = await startMerge(sources);
    const { status, body } = await client.send<Answer>("DELETE", other);
    expect([status, body.operation.status]).toEqual([200, "cancelled"]);
    expect(body.operation).not.toHaveProperty("error");
    expect(await total()).toBe(before);
    expect(await listen(client, other)).toEqual([body.operation]);
  });

  test("is there for its owner and administrators, and for nobody else, whoever may read the catalogues", async () => {
    const path = await startMerge(small);
    const other = (await (await newAccount(service, "editor")).signIn()).client;
    for (const reader of [other, await service.loginAs("viewer")]) {
      for (const suffix of ["", "/stream"]) {
        expectRefusal(await reader.get(`${path}${suffix}`), "NOT_FOUND");
      }
    }
    expectRefusal(await other.send("DELETE", path), "NOT_FOUND");
    expectRefusal(await (await service.loginAs("guest")).get(path), "UNAUTHENTICATED");
    const admin = await service.loginAs("admin");
    expect((await admin.get(path)).status).toBe(200);
    expect((await listen(admin, path)).at(-1)?.status).toBe("succeeded");
    for (const id of [randomUUID(), "1", "x".repeat(150)]) {
      expectRefusal(await client.get(`/api/operations/${id}`), "NOT_FOUND");
      expectRefusal(await client.get(`/api/operations/${id}/stream`), "NOT_FOUND");
      expectRefusal(await client.send("DELETE", `/api/operations/${id}`), "NOT_FOUND");
    }
  });
});

describe("the list of operations", () => {
  const list = async (by: ApiClient, query = "") =>
    (await by.get<{ operations: ListedJob[] }>(`/api/operations${query}`)).body.operations;

  test("is the caller's own, newest first, and everybody's for administrators", async () => {
    const { id: owner, signIn } = await newAccount(service, "editor");
    const { client: other } = await signIn();
    const admin = await service.loginAs("admin");
    expect(await list(other)).toEqual([]);
    const paths: string[] = [];
    for (let count = 0; count < 3; count += 1) paths.push(await startFailing(other));
    const later = await startFailing();
    for (const path of [...paths, later]) expect((await ended(path, admin)).status).toBe("failed");
    const own = await list(other);
    expect(own.map(({ id }) => `/api/operations/${id}`)).toEqual(paths.toReversed());
    const [newest] = own;
    expect(newest).toEqual({ ...(await jobOf(paths.at(-1) ?? "", other)), owner });
    expect(await list(other, "?limit=1")).toEqual(own.slice(0, 1));
    expect(await list(other, `?limit=1&before=${newest?.id}`)).toEqual(own.slice(1, 2));
    // Nor is anything listed before an operation of somebody else.
    expect(await list(other, `?before=${later.split("/").at(-1)}`)).toEqual([]);
    const all = await list(admin, "?limit=4");
    expect(all.slice(1)).toEqual(own);
    expect(`/api/operations/${all[0]?.id}`).toBe(later);
  });

  test("refuses bounds and parameters that are none", async () => {
    for (const query of ["limit=0", "limit=1001", "before=me", "status=running"]) {
      const answer = await client.get(`/api/operations?${query}`);
      expectRefusal(answer, "VALIDATION_ERROR", query.split("=")[0]);
    }
  });
});

describe("an operation of analytics", () => {
  const started = async (path: string, body?: unknown) =>
    pathOf(
      body === undefined
        ? await client.get<{ operationId: string }>(path, ASYNC)
        : await post(path, body),
    );

  test("is seen by whoever may read its catalogue, as long as they may, and cancelled by its owner and administrators alone", async () => {
    const events = [...generateEvents(1, 100)];
    const open = (await createCatalogue(client, { events, is_public: true })).id;
    const closed = (await createCatalogue(client, { events })).id;
    const [guest, viewer] = [await service.loginAs("guest"), await service.loginAs("viewer")];
    const completeness = (id: string) => started(`/api/catalogues/${id}/analytics/completeness`);
    const ways = (id: string) => [
      completeness(id),
      started(`/api/catalogues/${id}/analytics/decluster`, { method: "gardner-knopoff" }),
      started("/api/compare", { a: open, b: id, timeThreshold: 1, distanceThreshold: 1 }),
    ];
    for (const path of await Promise.all(ways(open))) {
      for (const reader of [guest, viewer]) {
        expect((await reader.get(path)).status).toBe(200);
        const stream = await reader.stream(`${path}/stream`);
        expect([stream.status, await stream.text()]).toEqual([200, expect.stringContaining("id")]);
      }
    }
    for (const path of await Promise.all(ways(closed))) {
      expect((await viewer.get(path)).status).toBe(200);
      expectRefusal(await guest.get(path), "UNAUTHENTICATED");
      expectRefusal(await guest.get(`${path}/stream`), "UNAUTHENTICATED");
    }

    const path = await completeness(open);
    const other = (await (await newAccount(service, "editor")).signIn()).client;
    for (const reader of [viewer, other]) {
      expectRefusal(await reader.send("DELETE", path), "NOT_FOUND");
      const { body } = await reader.get<{ operations: { id: string }[] }>("/api/operations");
      expect(body.operations.map(({ id }) => `/api/operations/${id}`)).not.toContain(path);
    }
    expect((await guest.get(path)).status).toBe(200);
    await client.send("PATCH", `/api/catalogues/${open}`, { is_public: false });
    expectRefusal(await guest.get(path), "UNAUTHENTICATED");
    expect((await viewer.get(path)).status).toBe(200);
    await client.send("DELETE", `/api/catalogues/${open}`);
    expectRefusal(await viewer.get(path), "NOT_FOUND");
    expect((await client.get(path)).status).toBe(200);
  });
});

describe("a catalogue created with Prefer: respond-async", () => {
  const start = async (body: unknown, headers = {}) =>
    ended(pathOf(await post("/api/catalogues", body, headers)));

  test("ends as the answer of its creation, having told how far it was", async () => {
    const events = [...generateEvents(1, 300), seismicEvent({ latitude: 91 })];
    const job = await start({ name: "later", events });
    expect(job).toMatchObject({
      kind: "create",
      status: "succeeded",
      progress: { done: 300, total: 301, unit: "events" },
      result: {
        name: "later",
        status: "active",
        event_count: 300,
        importMessage: "Imported 300 of 301 events; 1 failed validation",
        validationReport: { failedValidation: 1 },
      },
    });
    const { importMessage, partialImport, validationReport, ...made } = job.result ?? {};
    expect(await catalogueOf(made["id"])).toEqual(made);
  });

  test("ends as failed, with the error that it would have been answered", async () => {
    for (const [body, code] of [
      [{ events: [] }, "MISSING_NAME"],
      [{ name: "a" }, "VALIDATION_ERROR"],
      [{ name: "a", events: [{}] }, "ALL_EVENTS_INVALID"],
      ["{", "INVALID_JSON"],
      [{ name: "a", uploadId: randomUUID() }, "NOT_FOUND"],
    ] as const) {
      const job = await start(body);
      expect(job, code).toMatchObject({ status: "failed", error: { code } });
      expect(job, code).not.toHaveProperty("result");
    }
  });

  test("is one for one key, and the answer that a key repeats is the operation", async () => {
    const key = keyed();
    const body = { name: "once", events: [seismicEvent()] };
    const first = await post("/api/catalogues", body, key);
    expect((await post("/api/catalogues", body, key)).body).toEqual(first.body);
    expect((await ended(pathOf(first))).result).toMatchObject({ name: "once" });
  });

  test("that is cancelled leaves nothing", async () => {
    const name = `given up ${randomUUID()}`;
    const events = [...generateEvents(2, 8_000)];
    const path = pathOf(await post("/api/catalogues", { name, events }));
    const { body } = await client.send<Answer>("DELETE", path);
    expect(body.operation.status).toBe("cancelled");
    expect(await total(`?search=${name}`)).toBe(0);
  });
});

test("events added with Prefer: respond-async end as the answer of their addition, or as failed on a condition; where there is no catalogue none begins", async () => {
  const { id } = await createCatalogue(client, { events: [seismicEvent({ id: "a" })] });
  const path = `/api/catalogues/${id}/events`;
  const events = [seismicEvent({ id: "a", magnitude: 1 }), seismicEvent({ id: "b" })];
  const body = { events, updateExisting: true };
  expect(await ended(pathOf(await post(`${path}?reason=late`, body)))).toMatchObject({
    kind: "add",
    status: "succeeded",
    progress: { done: 2, total: 2 },
    result: { version: 2, newEvents: 1, updatedEvents: 1, skippedEvents: 0 },
  });
  expect(await catalogueOf(id)).toMatchObject({ version: 2, event_count: 2 });
  const outdated = await ended(pathOf(await post(path, body, { "if-match": '"7"' })));
  expect(outdated).toMatchObject({ status: "failed", error: { code: "PRECONDITION_FAILED" } });
  expectRefusal(await post(path.replace(id, randomUUID()), body), "NOT_FOUND");
});

const ID = "5b0c8f0e-6c8d-4b8e-9a55-0d3c0a1f7e11";
const OWNER: Actor = {
  userId: "owner",
  sessionId: "0b0c8f0e-6c8d-4b8e-9a55-0d3c0a1f7e12",
  email: "owner@example.org",
  name: "Owner",
  role: "editor",
  expires: "2100-01-01T00:00:00.000Z",
};

const closes: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closes.map((close) => close())));

/** A job, of which the state at each look is told, as the owner's sessions see it. */
async function scene(at: (look: number) => Job["status"], limit = 100) {
  let actor: Actor | null = OWNER;
  let looks = 0;
  const find = async (): Promise<FoundJob> => {
    looks += 1;
    const progress = { done: looks, total: 1000, unit: "events" };
    const time = "2020-01-01T00:00:00.000Z";
    const job = { id: ID, kind: "merge", progress, created_at: time, updated_at: time } as const;
    return { owner: "owner", reads: null, isNaming: false, job: { ...job, status: at(looks) } };
  };
  const readActor = async () => actor;
  const none = async () => null as never;
  const { streamOperation } = handlersOfJobs({
    store: { find } as unknown as JobStore,
    stopping: new AbortController().signal,
    lookups: { maybeOne: none, any: none },
    readActorAgain: readActor,
    streamPlaces: createStreamPlaces({ limit }),
  } as unknown as HandlerDeps);
  const app = await buildBareApp({ streamOperation }, { readActor });
  closes.push(() => app.close());
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const token = app.jwt.sign({ sub: "owner", sid: OWNER.sessionId, exp: 4_102_444_800 });
  const headers = { authorization: `Bearer ${token}` };
  return {
    looks: () => looks,
    signOut: () => {
      actor = null;
    },
    open: () => fetch(`http://127.0.0.1:${port}/api/operations/${ID}/stream`, { headers }),
  };
}

const STREAMS = 20;

describe.concurrent("streams of jobs", () => {
  test("many streams of one job look at it together", async () => {
    const { open, looks } = await scene((look) => (look > STREAMS + 3 ? "succeeded" : "running"));
    const answers = await Promise.all(Array.from({ length: STREAMS }, open));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    for (const text of texts) expect(text).toContain('"status":"succeeded"');
    expect(looks()).toBeLessThan(2 * STREAMS);
  });

  test("the stream of a job ends within seconds of the session of who follows it", async () => {
    const { open, signOut } = await scene(() => "running");
    const answer = await open();
    signOut();
    expect(await answer.text()).toContain('"status":"running"');
  });

  test("more streams of jobs than a process keeps open are refused", async () => {
    const { open } = await scene(() => "running", 1);
    const first = await open();
    const second = await open();
    expect([second.status, second.headers.get("retry-after")]).toEqual([503, "10"]);
    await first.body?.cancel();
  });
});
