import { afterEach, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { Fault } from "../../support/agency/fault.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { EVERYTHING, eventsOf, historyOf, useAgency } from "../../support/api/imports.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal, type RefusalBody } from "../../support/api/refusal.ts";
import { sharedService } from "../../support/service.ts";

const EVENTS = 120;
const ASYNC = { prefer: "respond-async" };
const POLL = { timeout: 60_000 };

const service = sharedService();
const scene = useAgency(service, { events: servedEvents(2, EVENTS), cap: 40 });
const editor = clientOf(service, "editor");
afterEach(() => scene.agency.fail());

type Body = Readonly<Record<string, unknown>>;

/** A catalogue with one event of its own. */
async function own(): Promise<string> {
  return (await createCatalogue(editor, { events: [seismicEvent({ source_id: "own" })] })).id;
}

const catalogueOf = async (id: string) =>
  (await editor.get<Catalogue>(`/api/catalogues/${id}`)).body;

/** An import that fails, and the catalogue and history that it leaves. */
async function failed(body: Body = {}) {
  const answer = await scene.ask(editor, { ...EVERYTHING, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(500);
  const { catalogueId, code } = answer.body as unknown as RefusalBody & { catalogueId: string };
  const history = await historyOf(editor, catalogueId);
  return { code, catalogueId, catalogue: await catalogueOf(catalogueId), history };
}

/** The agency answers so many requests, and then the next ones with a fault. */
function failAfter(requests: number, fault: Fault): void {
  const before = scene.agency.requests.length;
  scene.agency.fail(() => (scene.agency.requests.length - before >= requests ? fault : null));
}

describe("an import that the agency fails", () => {
  test("is an AGENCY_ERROR of a catalogue in error whose history tells it, and can be made again into it", async () => {
    scene.agency.fail(() => ({ kind: "status", status: 400 }));
    const { code, catalogueId, catalogue, history } = await failed({ catalogueName: "in vain" });
    expect(code).toBe("AGENCY_ERROR");
    expect(catalogue).toMatchObject({ name: "in vain", status: "error", version: 0 });
    const errors = [{ code: "AGENCY_ERROR", message: expect.stringContaining("400") }];
    expect(history).toMatchObject([{ total_fetched: 0, new_events: 0, errors }]);
    scene.agency.fail();
    expect(await scene.imported(editor, { catalogueId })).toMatchObject({ newEvents: EVENTS });
    const active = { status: "active", event_count: EVENTS };
    expect(await catalogueOf(catalogueId)).toMatchObject(active);
    const after = await historyOf(editor, catalogueId);
    expect(after.map((run) => run.errors === null)).toEqual([true, false]);
  });

  test("half-way leaves the catalogue as it was, and its counts in the history", async () => {
    const id = await own();
    failAfter(4, { kind: "status", status: 400 });
    const { catalogue, history } = await failed({ catalogueId: id });
    expect(catalogue).toMatchObject({ status: "active", version: 1, event_count: 1 });
    expect([...(await eventsOf(editor, id)).keys()]).toEqual(["own"]);
    const [run] = history;
    expect(run?.total_fetched).toBeGreaterThan(0);
    expect(run?.total_fetched).toBeLessThan(EVENTS);
    expect(run?.new_events).toBe(run?.total_fetched);
    expect(run?.errors).toMatchObject([{ code: "AGENCY_ERROR" }]);
    scene.agency.fail();
    const again = await scene.imported(editor, { catalogueId: id });
    expect(again).toMatchObject({ newEvents: EVENTS });
  });

  test("by an answer that ends too early leaves nothing of its run but the record", async () => {
    const admin = await service.loginAs("admin");
    // An agency that is changed has a circuit anew.
    const change = (requestsAtOnce: number) =>
      admin.send("PATCH", `/api/agencies/${scene.id}`, { requestsAtOnce });
    for (const [detail, atOnce] of [
      ["full", 1],
      ["summary", 3],
    ] as const) {
      await change(atOnce);
      const id = await own();
      for (const kind of ["closed", "ended", "truncated"] as const) {
        const name = `${detail} ${kind}`;
        // One window in the middle, of 36 events.
        scene.agency.fail((address) =>
          address.includes("starttime=2017-09-11") ? { kind } : null,
        );
        const { code, catalogue, history } = await failed({ catalogueId: id, detail });
        expect(code, name).toBe("AGENCY_UNAVAILABLE");
        const active = { status: "active", version: 1, event_count: 1 };
        expect(catalogue, name).toMatchObject(active);
        expect([...(await eventsOf(editor, id)).keys()], name).toEqual(["own"]);
        const message = expect.stringMatching(/^Test agency's answer ends early, at line \d+: /);
        expect(history[0]?.errors, name).toMatchObject([{ code: "AGENCY_UNAVAILABLE", message }]);
      }
    }
    await change(2);
  });

  test("by more than can be told of is an AGENCY_ERROR", async () => {
    const row = { latitude: 99, longitude: 0, magnitude: 1 };
    const broken = Array.from({ length: 450 * 6 }, (_, i) => {
      const time = new Date(Date.UTC(2013, 0, 1) + i * 900_000).toISOString();
      return { row: { ...row, time, source_id: `${i}-${"x".repeat(150)}` } };
    });
    scene.agency.catalogue.add(...broken);
    const window = { startDate: "2013-01-01", endDate: "2013-02-01" };
    const { code, catalogue, history } = await failed(window);
    expect([code, catalogue.status]).toEqual(["AGENCY_ERROR", "error"]);
    expect(history[0]?.errors?.at(-1)?.message).toMatch(/^More than \d+ of the agency's events/);
    expect(history[0]?.total_fetched).toBe((history[0]?.errors?.length ?? 0) - 1);
  });

  test("leaves a new catalogue in error, as does one into which nothing came", async () => {
    const nothing = { startDate: "2001-01-01", endDate: "2001-02-01" };
    const result = await scene.imported(editor, nothing);
    expect(result).toMatchObject({ success: true, totalFetched: 0, version: 0 });
    expect((await catalogueOf(result.catalogueId)).status).toBe("error");
    expect(await historyOf(editor, result.catalogueId)).toMatchObject([{ errors: null }]);
  });
});

describe("an import with Prefer: respond-async", () => {
  type Answer = { operation: Job };

  async function start(body: Body = {}): Promise<string> {
    const answer = await scene.ask(editor, { ...EVERYTHING, ...body }, ASYNC);
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    return (answer.headers.get("location") ?? "").split("/").at(-1) ?? "";
  }
  const operationOf = async (id: string) =>
    (await editor.get<Answer>(`/api/operations/${id}`)).body.operation;

  /** An import that waits for the agency, having got some events. */
  async function startHanging(catalogueId: string): Promise<string> {
    failAfter(4, { kind: "hang" });
    const id = await start({ catalogueId });
    const events = async () => (await operationOf(id)).progress.events ?? 0;
    await expect.poll(events, POLL).toBeGreaterThan(0);
    return id;
  }

  test("tells its windows and events as it goes on, and ends with the answer of an import", async () => {
    const id = await start({ catalogueName: "in the background" });
    const stream = await (await editor.stream(`/api/operations/${id}/stream`)).text();
    expect(stream).toMatch(/^event: operation\n/);
    const operation = await endOf(editor, id);
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

  test("that the agency fails ends as failed, with its catalogue", async () => {
    scene.agency.fail(() => ({ kind: "status", status: 400 }));
    const { status, error } = await endOf(editor, await start());
    expect(status).toBe("failed");
    expect(error).toMatchObject({ code: "AGENCY_ERROR", catalogueId: expect.any(String) });
    expect(await historyOf(editor, error?.catalogueId ?? "")).toHaveLength(1);
  });

  test("keeps its catalogue to itself; cancelled, it is in the history with its counts and has changed nothing", async () => {
    const id = await own();
    const operation = await startHanging(id);
    const body = { ...EVERYTHING, catalogueId: id };
    expectRefusal(await scene.ask(editor, body), "CONFLICT");
    expectRefusal(await scene.ask(editor, body, ASYNC), "CONFLICT");
    const events = { events: [seismicEvent({ source_id: "another" })] };
    expectRefusal(await editor.send("POST", `/api/catalogues/${id}/events`, events), "CONFLICT");
    expect(await historyOf(editor, id)).toEqual([]);
    const cancelled = await editor.send<Answer>("DELETE", `/api/operations/${operation}`);
    expect([cancelled.status, cancelled.body.operation.status]).toEqual([200, "cancelled"]);
    const [run, ...others] = await historyOf(editor, id);
    expect(others).toEqual([]);
    expect(run?.new_events).toBeGreaterThan(0);
    expect(run?.errors).toEqual([{ message: "The import was given up: cancelled" }]);
    const active = { status: "active", version: 1, event_count: 1 };
    expect(await catalogueOf(id)).toMatchObject(active);
    scene.agency.fail();
    const again = await scene.imported(editor, { catalogueId: id });
    expect(again).toMatchObject({ newEvents: EVENTS });
  });

  test("whose catalogue is deleted meanwhile ends as not found", async () => {
    const id = await own();
    const { promise: until, resolve } = Promise.withResolvers<void>();
    scene.agency.fail(() => ({ kind: "late", until }));
    const operation = await start({ catalogueId: id });
    expect((await editor.send("DELETE", `/api/catalogues/${id}`)).status).toBe(200);
    resolve();
    const error = { code: "NOT_FOUND" };
    expect(await endOf(editor, operation)).toMatchObject({ status: "failed", error });
    expect(await historyOf(editor, id)).toEqual([]);
  });
});

test("an import whose client goes away ends in order", async () => {
  const id = await own();
  const { promise: until, resolve } = Promise.withResolvers<void>();
  scene.agency.fail(() => ({ kind: "late", until }));
  const before = scene.agency.requests.length;
  const leaving = new AbortController();
  const { token } = await (await newAccount(service, "editor")).signIn();
  const request = fetch(new URL("/api/import/agency", service.url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ ...EVERYTHING, agency: scene.id, catalogueId: id }),
    signal: leaving.signal,
  });
  const left = expect(request).rejects.toThrow();
  await expect.poll(() => scene.agency.requests.length, POLL).toBeGreaterThan(before);
  leaving.abort();
  await left;
  resolve();
  await expect.poll(() => historyOf(editor, id), POLL).toHaveLength(1);
  expect(await historyOf(editor, id)).toMatchObject([{ new_events: EVENTS, errors: null }]);
});
