import { describe, expect, test } from "vitest";
import type { Notification } from "#contracts/http/notifications.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { parkedNotification } from "../support/notifications.ts";
import { expectRefusal } from "../support/refusal.ts";

/** No notifier, so that what is retried stays as the retry has left it. */
const service = useService({ ROLES: "gateway,projector" });

type List = { notifications: Notification[] };

const admin = () => service.loginAs("admin");

async function list(query = ""): Promise<Notification[]> {
  const { status, body } = await (await admin()).get<List>(`/api/notifications${query}`);
  expect(status).toBe(200);
  return body.notifications;
}

describe("GET /api/notifications", () => {
  test("GET /api/notifications lists notifications, newest first", async () => {
    const older = await parkedNotification(service.databaseUrl);
    const newer = await parkedNotification(service.databaseUrl);
    const listed = await list();
    expect(listed.slice(0, 2).map(({ id }) => id)).toEqual([newer, older]);
    expect(listed[0]).toEqual({
      id: newer,
      type: "password_reset",
      recipient_user_id: "user_1_nobody",
      status: "parked",
      attempts: 8,
      last_error: "the webhook answered 500",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
  });

  test("GET /api/notifications walks page by page without skipping or repeating", async () => {
    for (let i = 0; i < 5; i += 1) await parkedNotification(service.databaseUrl);
    const all = (await list()).map(({ id }) => id);
    const walked: string[] = [];
    let page = await list("?limit=2");
    while (page.length > 0) {
      expect(page.length).toBeLessThanOrEqual(2);
      walked.push(...page.map(({ id }) => id));
      page = await list(`?limit=2&before=${walked.at(-1)}`);
    }
    expect(walked).toEqual(all);
  });

  test("GET /api/notifications gives those of one status", async () => {
    const id = await parkedNotification(service.databaseUrl);
    await (await admin()).send("POST", `/api/notifications/${id}/retry`);
    const pending = await list("?status=pending");
    expect(pending.map((one) => one.id)).toContain(id);
    expect(new Set(pending.map(({ status }) => status))).toEqual(new Set(["pending"]));
    expect((await list("?status=parked")).map((one) => one.id)).not.toContain(id);
    expect(await list("?status=delivered")).toEqual([]);
  });

  test.each([
    ["status=lost", "status"],
    ["status=", "status"],
    ["limit=0", "limit"],
    ["limit=1001", "limit"],
    ["limit=many", "limit"],
    ["before=yesterday", "before"],
    ["before=%00", "before"],
  ])("GET /api/notifications refuses %s and names the parameter", async (query, field) => {
    const answer = await (await admin()).get(`/api/notifications?${query}`);
    expectRefusal(answer, "VALIDATION_ERROR", field);
  });
});

describe("POST /api/notifications/{id}/retry", () => {
  test("POST /api/notifications/{id}/retry makes a parked notification pending, with its attempts anew", async () => {
    const id = await parkedNotification(service.databaseUrl);
    const answer = await (await admin()).send("POST", `/api/notifications/${id}/retry`);
    expect(answer).toMatchObject({
      status: 202,
      body: { notification: { id, status: "pending", attempts: 0 } },
    });
  });

  test("POST /api/notifications/{id}/retry refuses what is not parked", async () => {
    const id = await parkedNotification(service.databaseUrl);
    const client = await admin();
    await client.send("POST", `/api/notifications/${id}/retry`);
    expectRefusal(await client.send("POST", `/api/notifications/${id}/retry`), "CONFLICT");
  });

  test.each(["6a1c0b1e-5f0e-4d0c-8a57-0d6e7b6f2a11", "no-id", "%00"])(
    "POST /api/notifications/{id}/retry answers 404 for %s",
    async (id) => {
      const client = await admin();
      expectRefusal(await client.send("POST", `/api/notifications/${id}/retry`), "NOT_FOUND");
    },
  );
});

describe("readiness", () => {
  test("readiness tells how many notifications wait and are parked, and stays ready", async () => {
    const id = await parkedNotification(service.databaseUrl);
    await parkedNotification(service.databaseUrl);
    await (await admin()).send("POST", `/api/notifications/${id}/retry`);
    const pending = (await list("?status=pending")).length;
    const parked = (await list("?status=parked")).length;
    const { status, body } = await createApiClient(service.url).get<ReadinessReport>("/api/ready");
    expect(status).toBe(200);
    expect(body.checks.find(({ name }) => name === "notifications")).toEqual({
      name: "notifications",
      status: "healthy",
      message: `${pending} pending, ${parked} parked`,
    });
  });
});
