import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { keyed } from "../support/keyed.ts";

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

type Started = ApiAnswer<{ operationId: string }>;

const ASYNC = { prefer: "respond-async" };
const start = (path: string, body: unknown, headers = {}): Promise<Started> =>
  editor.send("POST", path, body, { ...ASYNC, ...headers });

/** The operation that was started, once it has ended. */
async function ended({ status, body, headers }: Started): Promise<Job> {
  expect(status).toBe(202);
  const path = `/api/operations/${body.operationId}`;
  expect(headers.get("location")).toBe(path);
  const read = async () => (await editor.get<{ operation: Job }>(path)).body.operation;
  await expect.poll(async () => (await read()).status, { timeout: 30_000 }).not.toBe("running");
  return read();
}

const catalogueOf = async (id: unknown) =>
  (await editor.get<Catalogue>(`/api/catalogues/${id}`)).body;

describe("a catalogue created with Prefer: respond-async", () => {
  test("ends as the answer of its creation, having told how far it was", async () => {
    const events = [...generateEvents(1, 5_000), seismicEvent({ latitude: 91 })];
    const job = await ended(await start("/api/catalogues", { name: "later", events }));
    expect(job).toMatchObject({
      kind: "create",
      status: "succeeded",
      progress: { done: 5_000, total: 5_001, unit: "events" },
      result: {
        name: "later",
        status: "active",
        event_count: 5_000,
        importMessage: "Imported 5000 of 5001 events; 1 failed validation",
        validationReport: { failedValidation: 1 },
      },
    });
    const {
      importMessage: _,
      partialImport: __,
      validationReport: ___,
      ...made
    } = job.result ?? {};
    expect(await catalogueOf(made["id"])).toEqual(made);
  });

  test.each([
    ["without a name", { events: [] }, "MISSING_NAME"],
    ["without events", { name: "a" }, "VALIDATION_ERROR"],
    ["of nothing valid", { name: "a", events: [{}] }, "ALL_EVENTS_INVALID"],
    ["of no JSON", "{", "INVALID_JSON"],
    ["of an upload that is not there", { name: "a", uploadId: randomUUID() }, "NOT_FOUND"],
  ])(
    "%s ends as failed, with the error that it would have been answered",
    async (_, body, code) => {
      const job = await ended(await start("/api/catalogues", body));
      expect(job).toMatchObject({ status: "failed", error: { code } });
      expect(job).not.toHaveProperty("result");
    },
  );

  test("is one for one key, and the answer that a key repeats is the operation", async () => {
    const key = keyed();
    const body = { name: "once", events: [seismicEvent()] };
    const [first, second] = [
      await start("/api/catalogues", body, key),
      await start("/api/catalogues", body, key),
    ];
    expect(second.body).toEqual(first.body);
    expect((await ended(first)).result).toMatchObject({ name: "once" });
  });

  test("that is cancelled leaves nothing", async () => {
    const name = `given up ${randomUUID()}`;
    const events = [...generateEvents(2, 60_000)];
    const { body } = await start("/api/catalogues", { name, events });
    const answer = await editor.send<{ operation: Job }>(
      "DELETE",
      `/api/operations/${body.operationId}`,
    );
    expect(answer.body.operation.status).toBe("cancelled");
    const { total } = (await editor.get<{ total: number }>(`/api/catalogues?search=${name}`)).body;
    expect(total).toBe(0);
  });
});

describe("events added with Prefer: respond-async", () => {
  test("end as the answer of their addition", async () => {
    const { id } = await createCatalogue(editor, { events: [seismicEvent({ id: "a" })] });
    const path = `/api/catalogues/${id}/events?reason=late`;
    const events = [seismicEvent({ id: "a", magnitude: 1 }), seismicEvent({ id: "b" })];
    const job = await ended(await start(path, { events, updateExisting: true }));
    expect(job).toMatchObject({
      kind: "add",
      status: "succeeded",
      progress: { done: 2, total: 2 },
      result: { version: 2, newEvents: 1, updatedEvents: 1, skippedEvents: 0 },
    });
    expect(await catalogueOf(id)).toMatchObject({ version: 2, event_count: 2 });
  });

  test("end as failed where the catalogue is not as the caller knows it; where it is not there none begins", async () => {
    const { id } = await createCatalogue(editor);
    const body = { events: [seismicEvent({ id: "b" })] };
    const path = `/api/catalogues/${id}/events`;
    const outdated = await ended(await start(path, body, { "if-match": '"7"' }));
    expect(outdated).toMatchObject({ status: "failed", error: { code: "PRECONDITION_FAILED" } });
    const nowhere = await editor.send("POST", path.replace(id, randomUUID()), body, {
      prefer: "respond-async",
    });
    expect(nowhere).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  });
});
