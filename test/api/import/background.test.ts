import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { Job } from "#contracts/http/jobs.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { newAccount } from "../support/accounts.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";
import { EVERYTHING, historyOf, importEvents, imported, useImports } from "./import-scene.ts";

const EVENTS = 1_200;
const ASYNC = { prefer: "respond-async" };
const scene = useImports({ events: servedEvents(3, EVENTS), cap: 400 });
let editor: ApiClient;
beforeAll(async () => {
  editor = await scene.service.loginAs("editor");
});
afterEach(() => scene.agency.fail());

type Answer = { operation: Job };

async function start(body: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const answer = await importEvents(editor, { ...EVERYTHING, ...body }, ASYNC);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return answer.headers.get("location") ?? "";
}

const operationOf = async (path: string) => (await editor.get<Answer>(path)).body.operation;

const untilEnded = (path: string) =>
  expect
    .poll(async () => (await operationOf(path)).status, { timeout: 60_000 })
    .not.toBe("running");

/** The agency answers so many requests, and then leaves the next ones without an answer. */
function hangAfter(requests: number): void {
  const before = scene.agency.requests.length;
  scene.agency.fail(() =>
    scene.agency.requests.length - before >= requests ? { kind: "hang" } : null,
  );
}

/** An import that waits for the agency, having got some events. */
async function startHanging(body: Readonly<Record<string, unknown>> = {}): Promise<string> {
  hangAfter(4);
  const path = await start(body);
  await expect
    .poll(async () => (await operationOf(path)).progress.events ?? 0, { timeout: 60_000 })
    .toBeGreaterThan(0);
  return path;
}

describe("an import with Prefer: respond-async", () => {
  test("an import with Prefer: respond-async tells its windows and events as it goes on, and ends with the answer of an import", async () => {
    const path = await start({ catalogueName: "in the background" });
    const stream = await (await editor.stream(`${path}/stream`)).text();
    expect(stream).toMatch(/^event: operation\n/);
    await untilEnded(path);
    const operation = await operationOf(path);
    expect(operation).toMatchObject({
      kind: "import",
      status: "succeeded",
      progress: { unit: "windows", events: EVENTS },
      result: { success: true, catalogueName: "in the background", newEvents: EVENTS, version: 1 },
    });
    const { done, total } = operation.progress;
    expect(done).toBe(total);
    expect(done).toBeGreaterThan(3);
  });

  test("an import with Prefer: respond-async that the agency fails ends as failed, with its catalogue", async () => {
    scene.agency.fail(() => ({ kind: "status", status: 400 }));
    const path = await start();
    await untilEnded(path);
    const { status, error } = await operationOf(path);
    expect(status).toBe("failed");
    expect(error).toMatchObject({ code: "AGENCY_ERROR", catalogueId: expect.any(String) });
    expect(await historyOf(editor, error?.catalogueId ?? "")).toHaveLength(1);
  });

  test("an import with Prefer: respond-async that is cancelled is in the history with its counts, and changes nothing", async () => {
    const { id } = await createCatalogue(editor, { events: [seismicEvent()] });
    const path = await startHanging({ catalogueId: id });
    const { status, body } = await editor.send<Answer>("DELETE", path);
    expect(status).toBe(200);
    expect(body.operation.status).toBe("cancelled");
    const [run] = await historyOf(editor, id);
    expect(run?.new_events).toBeGreaterThan(0);
    expect(run?.errors).toEqual([{ message: "The import was given up: cancelled" }]);
    const { body: catalogue } = await editor.get<Catalogue>(`/api/catalogues/${id}`);
    expect(catalogue).toMatchObject({ status: "active", version: 1, event_count: 1 });
    scene.agency.fail();
    expect(await imported(editor, { catalogueId: id })).toMatchObject({ newEvents: EVENTS });
  });
});

describe("while an import runs", () => {
  test("nothing else changes its catalogue", async () => {
    const { id } = await createCatalogue(editor, { events: [seismicEvent()] });
    const path = await startHanging({ catalogueId: id });
    const body = { ...EVERYTHING, catalogueId: id };
    expectRefusal(await importEvents(editor, body), "CONFLICT");
    expectRefusal(await importEvents(editor, body, ASYNC), "CONFLICT");
    const events = { events: [seismicEvent({ source_id: "another" })] };
    expectRefusal(await editor.send("POST", `/api/catalogues/${id}/events`, events), "CONFLICT");
    expect(await historyOf(editor, id)).toEqual([]);
    await editor.send("DELETE", path);
    expect(await historyOf(editor, id)).toHaveLength(1);
  });

  test("its catalogue can be deleted, and the import ends as not found", async () => {
    const { id } = await createCatalogue(editor, { events: [seismicEvent()] });
    scene.agency.fail(() => ({ kind: "drip", everyMs: 10 }));
    const path = await start({ catalogueId: id });
    expect((await editor.send("DELETE", `/api/catalogues/${id}`)).status).toBe(200);
    await untilEnded(path);
    expect(await operationOf(path)).toMatchObject({
      status: "failed",
      error: { code: "NOT_FOUND" },
    });
    expect(await historyOf(editor, id)).toEqual([]);
  });

  test("its client may go away: it ends in order", async () => {
    const { id } = await createCatalogue(editor, { events: [seismicEvent()] });
    scene.agency.fail(() => ({ kind: "drip", everyMs: 20 }));
    const before = scene.agency.requests.length;
    const leaving = new AbortController();
    const { token } = await (await newAccount(scene.service, "editor")).signIn();
    const request = fetch(new URL("/api/import/agency", scene.service.url), {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ ...EVERYTHING, catalogueId: id }),
      signal: leaving.signal,
    });
    const left = expect(request).rejects.toThrow();
    await expect
      .poll(() => scene.agency.requests.length, { timeout: 60_000 })
      .toBeGreaterThan(before);
    leaving.abort();
    await left;
    await expect.poll(() => historyOf(editor, id), { timeout: 60_000 }).toHaveLength(1);
    expect(await historyOf(editor, id)).toMatchObject([{ new_events: EVENTS, errors: null }]);
  });
});
