import { describe, expect, test } from "vitest";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { merge } from "../../api/merge/merge-scene.ts";
import { newAccount } from "../../api/support/accounts.ts";
import { createCatalogue, seismicEvent } from "../../api/support/catalogue.ts";
import { createApiClient } from "../../support/api-client.ts";
import { withClient } from "../../support/database-template.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { useService } from "../../support/service.ts";

/** All of test/api runs on this log by `npm run test:eventstoredb`; here is some of each part. */
const service = useService({}, { eventLog: "eventstoredb" });

const readiness = () => createApiClient(service.url).get<ReadinessReport>("/api/ready");

describe("a service with its log in an event store", () => {
  test("a service with its log in an event store is ready, and reports the event store after database, agency and memory", async () => {
    await expect.poll(async () => (await readiness()).status).toBe(200);
    const { checks } = (await readiness()).body;
    expect(checks.map(({ name }) => name)).toEqual([
      "database",
      "agency_api",
      "memory",
      "event_store",
      "projections",
      "notifications",
      "pressure",
    ]);
    expect(checks[3]).toMatchObject({ status: "healthy", responseTime: expect.any(Number) });
  });

  test("a service with its log in an event store keeps accounts: what an administrator changes bites at once", async () => {
    const { id, signIn } = await newAccount(service, "viewer");
    const { client } = await signIn();
    const create = async () =>
      (await client.send("POST", "/api/catalogues", { name: "x", events: [] })).status;
    expect(await create()).toBe(403);
    const admin = await service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${id}`, { role: "editor" });
    expect(await create()).toBe(201);
    await admin.send("DELETE", `/api/users/${id}`);
    expect(await create()).toBe(401);
  });

  test("a service with its log in an event store keeps catalogues and their versions through edits, a merge and a deletion", async () => {
    const editor = await service.loginAs("editor");
    const first = await createCatalogue(editor, { events: [...generateEvents(1, 3_000)] });
    const second = await createCatalogue(editor, { events: [...generateEvents(2, 3_000)] });
    const added = await editor.send("POST", `/api/catalogues/${first.id}/events`, {
      events: [seismicEvent()],
    });
    expect(added.status).toBe(200);
    const total = async (query: string) =>
      (await editor.get<{ total: number }>(`/api/catalogues/${first.id}/events?${query}`)).body
        .total;
    expect(await total("pageSize=1")).toBe(3_001);
    expect(await total("pageSize=1&asOf=1")).toBe(3_000);
    const sources = [first, second].map(({ id }) => ({ id, source: id }));
    const { eventCount } = await merge(editor, sources, { timeThreshold: 0, distanceThreshold: 0 });
    expect(eventCount).toBeGreaterThan(3_000);
    expect((await editor.send("DELETE", `/api/catalogues/${second.id}`)).status).toBe(200);
    expect((await editor.get(`/api/catalogues/${second.id}`)).status).toBe(404);
  });

  test("a service with its log in an event store leaves nothing in the database's own log", async () => {
    const rows = await withClient(
      service.databaseUrl,
      async (client) => (await client.query("select from event_log.events")).rowCount,
    );
    expect(rows).toBe(0);
    expect(await service.log.count()).toBeGreaterThan(0);
  });
});
