import { expect, test } from "vitest";
import type { Notification } from "#contracts/http/following.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { parkedNotification } from "../../support/api/notifications.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

/** No notifier, so that what is retried stays as the retry has left it. */
const service = useService({ ROLES: "gateway,projector" });

type List = { notifications: Notification[] };

const admin = () => service.loginAs("admin");

async function list(query = ""): Promise<Notification[]> {
  const { status, body } = await (await admin()).get<List>(`/api/notifications${query}`);
  expect(status).toBe(200);
  return body.notifications;
}

const retry = async (id: string) => (await admin()).send("POST", `/api/notifications/${id}/retry`);
const parked = () => parkedNotification(service.databaseUrl);

test("notifications are listed newest first, page by page without skipping or repeating", async () => {
  for (let i = 0; i < 5; i += 1) await parked();
  const [older, newer] = [await parked(), await parked()];
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
  const walked: string[] = [];
  let page = await list("?limit=2");
  while (page.length > 0) {
    expect(page.length).toBeLessThanOrEqual(2);
    walked.push(...page.map(({ id }) => id));
    page = await list(`?limit=2&before=${walked.at(-1)}`);
  }
  expect(walked).toEqual(listed.map(({ id }) => id));
});

test("a parked notification is retried once, with its attempts anew; lists of a status and readiness tell so", async () => {
  const id = await parked();
  expect(await retry(id)).toMatchObject({
    status: 202,
    body: { notification: { id, status: "pending", attempts: 0 } },
  });
  expectRefusal(await retry(id), "CONFLICT");
  for (const unknown of ["6a1c0b1e-5f0e-4d0c-8a57-0d6e7b6f2a11", "no-id", "%00"]) {
    expectRefusal(await retry(unknown), "NOT_FOUND");
  }
  const [pending, others] = [await list("?status=pending"), await list("?status=parked")];
  expect(pending.map((one) => one.id)).toContain(id);
  expect(new Set(pending.map(({ status }) => status))).toEqual(new Set(["pending"]));
  expect(others.map((one) => one.id)).not.toContain(id);
  expect(await list("?status=delivered")).toEqual([]);
  const { status, body } = await createApiClient(service.url).get<ReadinessReport>("/api/ready");
  expect(status).toBe(200);
  expect(body.checks.find(({ name }) => name === "notifications")).toEqual({
    name: "notifications",
    status: "healthy",
    message: `${pending.length} pending, ${others.length} parked`,
  });
});

test("parameters of the list that are none are refused and named", async () => {
  for (const query of [
    ...["status=lost", "status=", "before=yesterday", "before=%00"],
    ...["limit=0", "limit=1001", "limit=many"],
  ]) {
    const answer = await (await admin()).get(`/api/notifications?${query}`);
    expectRefusal(answer, "VALIDATION_ERROR", query.split("=")[0]);
  }
});
