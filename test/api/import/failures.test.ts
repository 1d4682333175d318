import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import type { RefusalBody } from "../support/refusal.ts";
import {
  EVERYTHING,
  eventsOf,
  historyOf,
  importEvents,
  imported,
  useImports,
} from "./import-scene.ts";

const EVENTS = 1_200;

/** An import that fails, and the catalogue and history that it leaves. */
async function failed(client: ApiClient, body: Readonly<Record<string, unknown>> = {}) {
  const answer = await importEvents(client, { ...EVERYTHING, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(500);
  const { catalogueId, code } = answer.body as unknown as RefusalBody & { catalogueId: string };
  const { body: catalogue } = await client.get<Catalogue>(`/api/catalogues/${catalogueId}`);
  return { code, catalogueId, catalogue, history: await historyOf(client, catalogueId) };
}

describe("an import that the agency fails", () => {
  const scene = useImports({ events: servedEvents(2, EVENTS), cap: 500 });
  let editor: ApiClient;
  beforeAll(async () => {
    editor = await scene.service.loginAs("editor");
  });
  beforeEach(() => scene.agency.fail());

  test("an import that the agency fails by refusing is an AGENCY_ERROR, of a catalogue in error whose history tells it", async () => {
    scene.agency.fail(() => ({ kind: "status", status: 400 }));
    const { code, catalogue, history } = await failed(editor, { catalogueName: "in vain" });
    expect(code).toBe("AGENCY_ERROR");
    expect(catalogue).toMatchObject({ name: "in vain", status: "error", version: 0 });
    expect(history).toHaveLength(1);
    expect(history[0]).toMatchObject({
      total_fetched: 0,
      new_events: 0,
      errors: [{ code: "AGENCY_ERROR", message: expect.stringContaining("400") }],
    });
  });

  test("half-way leaves the catalogue as it was, and its counts in the history", async () => {
    const { id } = await createCatalogue(editor, { events: [seismicEvent({ source_id: "own" })] });
    let requests = 0;
    scene.agency.fail(() => {
      requests += 1;
      return requests > 4 ? { kind: "status", status: 400 } : null;
    });
    const { catalogue, history } = await failed(editor, { catalogueId: id });
    expect(catalogue).toMatchObject({ status: "active", version: 1, event_count: 1 });
    expect([...(await eventsOf(editor, id)).keys()]).toEqual(["own"]);
    const [run] = history;
    expect(run?.total_fetched).toBeGreaterThan(0);
    expect(run?.total_fetched).toBeLessThan(EVENTS);
    expect(run?.new_events).toBe(run?.total_fetched);
    expect(run?.errors).toMatchObject([{ code: "AGENCY_ERROR" }]);
    scene.agency.fail();
    expect(await imported(editor, { catalogueId: id })).toMatchObject({ newEvents: EVENTS });
  });

  test("an import that the agency fails can be made again into the catalogue that it has left", async () => {
    scene.agency.fail(() => ({ kind: "status", status: 400 }));
    const { catalogueId } = await failed(editor);
    scene.agency.fail();
    expect(await imported(editor, { catalogueId })).toMatchObject({ newEvents: EVENTS });
    const { body } = await editor.get<Catalogue>(`/api/catalogues/${catalogueId}`);
    expect(body).toMatchObject({ status: "active", event_count: EVENTS });
    const history = await historyOf(editor, catalogueId);
    expect(history.map(({ errors }) => errors === null)).toEqual([true, false]);
  });

  test("an import that the agency fails by more than can be told of is an AGENCY_ERROR", async () => {
    const row = { time: "2013-01-01T00:00:00Z", latitude: 99, longitude: 0, magnitude: 1 };
    const id = (i: number) => `${i}-${"x".repeat(150)}`;
    const broken = Array.from({ length: 450 * 6 }, (_, i) => {
      const day = String(1 + (i % 28)).padStart(2, "0");
      return { row: { ...row, time: `2013-01-${day}T00:00:00Z`, source_id: id(i) } };
    });
    scene.agency.catalogue.add(...broken);
    const window = { startDate: "2013-01-01", endDate: "2013-02-01" };
    const { code, catalogue, history } = await failed(editor, window);
    expect(code).toBe("AGENCY_ERROR");
    expect(catalogue.status).toBe("error");
    expect(history[0]?.errors?.at(-1)?.message).toMatch(/^More than \d+ of the agency's events/);
    expect(history[0]?.total_fetched).toBe((history[0]?.errors?.length ?? 0) - 1);
  });

  test("an import that the agency fails into which nothing came is in error, though nothing has failed", async () => {
    const nothing = { startDate: "2001-01-01", endDate: "2001-02-01" };
    const result = await imported(editor, nothing);
    expect(result).toMatchObject({ success: true, totalFetched: 0, version: 0 });
    const { body } = await editor.get<Catalogue>(`/api/catalogues/${result.catalogueId}`);
    expect(body.status).toBe("error");
    expect(await historyOf(editor, result.catalogueId)).toMatchObject([{ errors: null }]);
  });
});

describe.each(["full", "summary"] as const)("an answer in %s", (detail) => {
  const scene = useImports({ events: servedEvents(2, EVENTS), cap: 500 });

  test.each(["closed", "ended", "truncated"] as const)(
    "that is %s too early leaves nothing of its run but the record",
    async (kind) => {
      const editor = await scene.service.loginAs("editor");
      const { id } = await createCatalogue(editor, {
        events: [seismicEvent({ source_id: "own" })],
      });
      scene.agency.fail((address) => (address.includes("starttime=2016") ? { kind } : null));
      const { code, catalogue, history } = await failed(editor, { catalogueId: id, detail });
      expect(code).toBe("AGENCY_UNAVAILABLE");
      expect(catalogue).toMatchObject({ status: "active", version: 1, event_count: 1 });
      expect([...(await eventsOf(editor, id)).keys()]).toEqual(["own"]);
      const message = expect.stringMatching(/^Test agency's answer ends early, at line \d+: /);
      expect(history).toMatchObject([{ errors: [{ code: "AGENCY_UNAVAILABLE", message }] }]);
    },
  );
});

describe("an agency that is silent", () => {
  const scene = useImports({}, { AGENCY_TIMEOUT: "1" });

  test("an agency that is silent is an AGENCY_TIMEOUT", async () => {
    const editor = await scene.service.loginAs("editor");
    scene.agency.fail(() => ({ kind: "hang" }));
    const { code, history } = await failed(editor);
    expect(code).toBe("AGENCY_TIMEOUT");
    expect(history[0]?.errors).toMatchObject([{ code: "AGENCY_TIMEOUT" }]);
  });
});

describe("an agency that is not well", () => {
  const scene = useImports({});

  test("an agency that is not well is AGENCY_UNAVAILABLE, then CIRCUIT_OPEN, and the service stays ready", async () => {
    const editor = await scene.service.loginAs("editor");
    scene.agency.fail(() => ({ kind: "status", status: 500 }));
    const codes: string[] = [];
    for (let i = 0; i < 7; i += 1) codes.push((await failed(editor)).code);
    const failures = new Array(5).fill("AGENCY_UNAVAILABLE");
    expect(codes).toEqual([...failures, "CIRCUIT_OPEN", "CIRCUIT_OPEN"]);
    expect(scene.agency.requests).toHaveLength(5);
    const { history } = await failed(editor);
    expect(history).toMatchObject([{ errors: [{ code: "CIRCUIT_OPEN" }] }]);
    const { status, body } = await editor.get<ReadinessReport>("/api/ready");
    expect(status).toBe(200);
    expect(body.checks[1]).toEqual({
      name: "agency_api",
      status: "healthy",
      message: "Circuit breaker: OPEN",
    });
  });
});
