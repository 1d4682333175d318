import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { Job, ListedJob } from "#contracts/http/jobs.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";
import { mergeForm, type Source, sourceOf } from "../merge/merge-scene.ts";
import { newAccount } from "../support/accounts.ts";
import { expectRefusal } from "../support/refusal.ts";

/** Of a merge that runs for a while, and of one that is only to end. */
const [EVENTS, FEW_EVENTS] = [20_000, 200];

const service = sharedService();
let client: ApiClient;
let sources: Source[];
let small: Source[];
const sourcesOf = async (count: number) => [
  await sourceOf(client, "one", [...generateEvents(1, count)]),
  await sourceOf(client, "other", [...generateEvents(2, count)]),
];
beforeAll(async () => {
  client = await service.loginAs("editor");
  sources = await sourcesOf(EVENTS);
  small = await sourcesOf(FEW_EVENTS);
});

type Answer = { operation: Job };

async function startMerge(by: ApiClient, of: readonly Source[], prefer = "respond-async") {
  const answer = await by.send<{ operationId: string }>("POST", "/api/merge", mergeForm(of), {
    prefer,
  });
  expect(answer.status).toBe(202);
  return { ...answer, path: `/api/operations/${answer.body.operationId}` };
}

const stateOf = (path: string) => async () =>
  (await client.get<Answer>(path)).body.operation.status;

const untilEnded = (path: string) =>
  expect.poll(stateOf(path), { timeout: 60_000 }).not.toBe("running");

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

describe("a merge with Prefer: respond-async", () => {
  test("a merge with Prefer: respond-async is answered 202 with the operation, which ends with the answer of a merge", async () => {
    const { headers, body, path } = await startMerge(client, small, "wait=5, Respond-Async");
    expect(headers.get("location")).toBe(path);
    expect(headers.get("preference-applied")).toBe("respond-async");
    await untilEnded(path);
    const { body: ended, headers: read } = await client.get<Answer>(path);
    expect(read.get("cache-control")).toBe("no-store");
    const { eventCount } = ended.operation.result as { eventCount: number };
    expect(ended.operation).toEqual({
      id: body.operationId,
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
    const id = ended.operation.result?.["catalogueId"];
    const { body: catalogue } = await client.get<Catalogue>(`/api/catalogues/${id}`);
    expect(catalogue).toMatchObject({ status: "active", event_count: eventCount });
  });

  test("a merge with Prefer: respond-async ends as failed with the error that the request would have been answered", async () => {
    const id = randomUUID();
    const { path } = await startMerge(client, [...sources.slice(0, 1), { id, source: "s" }]);
    await untilEnded(path);
    const { body } = await client.get<Answer>(path);
    expect(body.operation).toMatchObject({
      status: "failed",
      error: { error: `Catalogue ${id} not found`, code: "NOT_FOUND" },
    });
    expect(body.operation).not.toHaveProperty("result");
  });

  test("a merge with Prefer: respond-async is refused at once where the request itself is wrong", async () => {
    const prefer = { prefer: "respond-async" };
    const nameless = { ...mergeForm(sources), name: " " };
    expectRefusal(await client.send("POST", "/api/merge", nameless, prefer), "MISSING_NAME");
    const alone = mergeForm(sources.slice(0, 1));
    expectRefusal(await client.send("POST", "/api/merge", alone, prefer), "VALIDATION_ERROR");
  });

  test("a merge with another preference than respond-async is answered at once", async () => {
    const body = mergeForm([await sourceOf(client, "a", []), await sourceOf(client, "b", [])]);
    const prefer = { prefer: "return=minimal, respond-asynchronously" };
    expect((await client.send("POST", "/api/merge", body, prefer)).status).toBe(200);
  });
});

describe("the stream of an operation", () => {
  test("the stream of an operation tells of it until it has ended, and ends", async () => {
    const { path } = await startMerge(client, sources);
    const told = await listen(client, path);
    expect(told.at(0)?.status).toBe("running");
    expect(told.at(-1)?.status).toBe("succeeded");
    const done = told.map(({ progress }) => progress.done);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(await listen(client, path)).toEqual(told.slice(-1));
  });
});

describe("cancelling an operation", () => {
  test("cancelling an operation ends it as cancelled, and nothing of it is left", async () => {
    const count = async () => (await client.get<{ total: number }>("/api/catalogues")).body.total;
    const before = await count();
    const { path } = await startMerge(client, sources);
    const { status, body } = await client.send<Answer>("DELETE", path);
    expect(status).toBe(200);
    expect(body.operation.status).toBe("cancelled");
    expect(body.operation).not.toHaveProperty("error");
    expect(await count()).toBe(before);
    expect(await listen(client, path)).toEqual([body.operation]);
  });

  test("cancelling an operation is refused once it has ended", async () => {
    const { path } = await startMerge(client, small);
    await untilEnded(path);
    expectRefusal(await client.send("DELETE", path), "CONFLICT");
    expect(await stateOf(path)()).toBe("succeeded");
  });
});

describe("an operation", () => {
  test("an operation is there for its owner and administrators, and for nobody else", async () => {
    const { path } = await startMerge(client, small);
    const other = await (await newAccount(service, "editor")).signIn();
    for (const suffix of ["", "/stream"]) {
      expectRefusal(await other.client.get(`${path}${suffix}`), "NOT_FOUND");
    }
    expectRefusal(await other.client.send("DELETE", path), "NOT_FOUND");
    const admin = await service.loginAs("admin");
    expect((await admin.get(path)).status).toBe(200);
    expect((await listen(admin, path)).at(-1)?.status).toBe("succeeded");
  });

  test("an unknown operation is not found, whatever its id looks like", async () => {
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

  test("the list of operations is the caller's own, newest first, and everybody's for administrators", async () => {
    const { id: owner, signIn } = await newAccount(service, "editor");
    const { client: other } = await signIn();
    expect(await list(other)).toEqual([]);
    const unknown = () => [
      { id: randomUUID(), source: "s" },
      { id: randomUUID(), source: "s" },
    ];
    const paths: string[] = [];
    for (let count = 0; count < 3; count += 1)
      paths.push((await startMerge(other, unknown())).path);
    const { path: later } = await startMerge(client, unknown());
    for (const path of [...paths, later]) {
      const admin = await service.loginAs("admin");
      const isOver = async () => (await admin.get<Answer>(path)).body.operation.status;
      await expect.poll(isOver).toBe("failed");
    }
    const own = await list(other);
    expect(own.map(({ id }) => `/api/operations/${id}`)).toEqual(paths.toReversed());
    const [newest] = own;
    const { body } = await other.get<Answer>(`/api/operations/${newest?.id}`);
    expect(newest).toEqual({ ...body.operation, owner });
    expect(await list(other, "?limit=1")).toEqual(own.slice(0, 1));
    expect(await list(other, `?limit=1&before=${newest?.id}`)).toEqual(own.slice(1, 2));
    const all = await list(await service.loginAs("admin"), "?limit=4");
    expect(all.slice(1)).toEqual(own);
    expect(`/api/operations/${all[0]?.id}`).toBe(later);
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=1001", "limit"],
    ["before=me", "before"],
    ["status=running", "status"],
  ])("the list of operations refuses %s", async (query, names) => {
    expectRefusal(await client.get(`/api/operations?${query}`), "VALIDATION_ERROR", names);
  });
});
