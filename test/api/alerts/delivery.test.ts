import { sql } from "slonik";
import { beforeEach, expect, test } from "vitest";
import type { Alert, AlertDelivery } from "#contracts/http/alerts.ts";
import { HOUR_MS, MINUTE_MS } from "#contracts/units.ts";
import { issueResetToken } from "#infra/vault/credentials.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { alertOfCatalogue, recentEvent } from "../../support/api/alerts.ts";
import type { CatalogueForm } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { useAlerts } from "./use-alerts.ts";

const alerts = useAlerts();
const { service } = alerts;
const editor = service.client("editor");
const scene = (form: object = {}, catalogue: CatalogueForm = {}, client = editor) =>
  alertOfCatalogue(client, alerts.receiver.url, form, catalogue);

beforeEach(async () => {
  alerts.receiver.behave(200);
  await alerts.tell();
  await alerts.deliver();
});

const statusOf = ({ status, attempts, response }: AlertDelivery) => [status, attempts, response];
const received = (path: string) => alerts.receiver.calls.filter((call) => call.path === path);

test("what fails is tried again after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h and 3 h under the same id, then parked, and sent again by hand", async () => {
  const { path, address, add, deliveries, now } = await scene();
  alerts.receiver.behave(500);
  await add(recentEvent());
  await alerts.tell();
  const waits = [
    5_000,
    30_000,
    2 * MINUTE_MS,
    10 * MINUTE_MS,
    30 * MINUTE_MS,
    HOUR_MS,
    3 * HOUR_MS,
  ];
  expect(await alerts.deliver()).toBe(1);
  for (const [i, wait] of waits.entries()) {
    expect((await deliveries()).map(statusOf)).toEqual([["pending", i + 1, 500]]);
    alerts.advance(wait - 1_000);
    expect(await alerts.deliver()).toBe(0);
    alerts.advance(1_000);
    expect(await alerts.deliver()).toBe(1);
  }
  expect((await deliveries("?status=parked")).map(statusOf)).toEqual([["parked", 8, 500]]);
  expect(await alerts.deliver()).toBe(0);
  const calls = received(path);
  expect(new Set(calls.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(calls).toHaveLength(8);
  expect((await now()).state).toBe("active");
  const [{ id = "" } = {}] = await deliveries();
  alerts.receiver.behave(204);
  const retried = await editor.send<{ delivery: AlertDelivery }>(
    "POST",
    `${address}/deliveries/${id}/retry`,
  );
  expect([retried.status, retried.body.delivery.status]).toEqual([202, "pending"]);
  await alerts.deliver();
  expect((await deliveries()).map(statusOf)).toEqual([["delivered", 1, 204]]);
  expectRefusal(await editor.send("POST", `${address}/deliveries/${id}/retry`), "CONFLICT");
  expectRefusal(await editor.send("POST", `${address}/deliveries/${address}/retry`), "NOT_FOUND");
});

test("beyond its messages of a clock hour an alert sends one digest at the end of the hour, of a large import too", async () => {
  alerts.advance(HOUR_MS - (alerts.now().getTime() % HOUR_MS));
  const { path, add, deliveries } = await scene({ perHour: 2 });
  await add(...Array.from({ length: 40 }, (_, i) => recentEvent({ magnitude: 4 + i / 10 })));
  await add(recentEvent({ magnitude: 9 }));
  await alerts.tell();
  expect(await alerts.deliver()).toBe(2);
  expect((await deliveries()).map(({ type }) => type).toSorted()).toEqual([
    "digest",
    "earthquake.new",
    "earthquake.new",
  ]);
  alerts.advance(HOUR_MS);
  expect(await alerts.deliver()).toBe(1);
  const digest = received(path).at(-1)?.body as unknown as {
    type: string;
    counts: object;
    largest: { type: string; event: { properties: { mag: number } } }[];
  };
  expect(digest).toMatchObject({ type: "digest", counts: { "earthquake.new": 39 } });
  expect(digest.largest.map(({ event }) => event.properties.mag)).toEqual([
    9, 7.9, 7.8, 7.7, 7.6, 7.5, 7.4, 7.3, 7.2, 7.1,
  ]);
  await add(recentEvent({ magnitude: 5 }));
  await alerts.tell();
  expect(await alerts.deliver()).toBe(1);
  expect(received(path).at(-1)?.body.type).toBe("earthquake.new");
});

test("a right that is lost ends what waits, and what is told meanwhile; a right that is won tells nothing of before", async () => {
  const account = await newAccount(service, "viewer");
  const { client } = await account.signIn();
  const { id, of, add } = await scene({}, { access: "restricted" });
  const member = `${of}/members/${account.id}`;
  const form = {
    name: "Theirs",
    catalogues: [id],
    to: { kind: "webhook", url: `${alerts.receiver.url}/theirs` },
  };
  expectRefusal(await client.send("POST", "/api/alerts", form), "NOT_FOUND");
  await editor.send("PUT", member, { right: "read" });
  const made = await client.send<{ alert: Alert }>("POST", "/api/alerts", form);
  const theirs = async () =>
    (
      await client.get<{ deliveries: AlertDelivery[] }>(
        `/api/alerts/${made.body.alert.id}/deliveries`,
      )
    ).body.deliveries;
  await add(recentEvent());
  await alerts.tell();
  await editor.send("DELETE", member);
  await alerts.deliver();
  expect((await theirs()).map(({ status }) => status)).toEqual(["dropped"]);
  await add(recentEvent());
  await alerts.tell();
  await editor.send("PUT", member, { right: "read" });
  await alerts.tell();
  expect(await theirs()).toHaveLength(1);
  await add(recentEvent({ magnitude: 6 }));
  await alerts.tell();
  const admin = await service.loginAs("admin");
  await admin.send("PATCH", `/api/users/${account.id}`, { is_active: false });
  await alerts.deliver();
  expect(received("/theirs")).toEqual([]);
  await admin.send("PATCH", `/api/users/${account.id}`, { is_active: true });
  const { client: again } = await account.signIn();
  const address = `/api/alerts/${made.body.alert.id}/deliveries`;
  const { body } = await again.get<{ deliveries: AlertDelivery[] }>(address);
  expect(body.deliveries.map(({ status }) => status)).toEqual(["dropped", "dropped"]);
  expectRefusal(await editor.get(address), "NOT_FOUND");
});

test("an alert whose receiver is gone pauses, and goes on when its owner says so, without what came meanwhile", async () => {
  const { path, address, add, deliveries, now } = await scene();
  alerts.receiver.behave(410);
  await add(recentEvent());
  await alerts.tell();
  await alerts.deliver();
  expect((await deliveries()).map(statusOf)).toEqual([["parked", 1, 410]]);
  const error = "Its receiver answered 410";
  await expect.poll(now).toMatchObject({ state: "paused", active: false, error });
  alerts.receiver.behave(200);
  await add(recentEvent());
  await alerts.tell();
  expect((await editor.send("PATCH", address, { active: true })).status).toBe(200);
  expect(await now()).toMatchObject({ state: "active", error: null });
  await add(recentEvent({ magnitude: 6 }));
  await alerts.tell();
  await alerts.deliver();
  const sizes = received(path).map(({ body }) => body.event["properties"]);
  expect(sizes).toMatchObject([{ mag: 5.2 }, { mag: 6 }]);
});

test("an alert that has parked a hundred messages in a row is failing: what waits is parked", async () => {
  const { id, alert, add, deliveries, now } = await scene();
  alerts.receiver.behave(503);
  await add(recentEvent());
  await alerts.tell();
  for (let attempt = 1; attempt < 8; attempt += 1) {
    await alerts.deliver();
    alerts.advance(3 * HOUR_MS);
  }
  await alerts.deps().pool.query(sql.unsafe`
    insert into notifications.notifications (id, alert_id, kind, catalogue_id, version, status,
      next_attempt_at, created_at, updated_at)
    select gen_random_uuid(), ${alert.id}::uuid, 'earthquake.new', ${id}::uuid, 1, 'parked',
      now(), now(), now() from generate_series(1, 99)`);
  await add(recentEvent({ depth: 1 }));
  await alerts.tell();
  await alerts.deliver();
  const error = "100 messages in a row could not be delivered";
  await expect.poll(now).toMatchObject({ state: "failing", error });
  alerts.advance(MINUTE_MS);
  await alerts.deliver();
  const statuses = (await deliveries("?limit=1000")).map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 101 }, () => "parked"));
});

test("a reset of the password pauses all alerts of the account, and what waits is not sent", async () => {
  const account = await newAccount(service, "editor");
  const { client } = await account.signIn();
  const { path, add, address } = await scene({}, {}, client);
  await add(recentEvent());
  await alerts.tell();
  const hour = HOUR_MS;
  const token = await issueResetToken(alerts.deps().pool, account.id, new Date(), hour);
  const guest = service.client("guest");
  const newPassword = "another long password";
  const reset = await guest.send("POST", "/api/auth/reset-password", { token, newPassword });
  expect(reset.status).toBe(200);
  await alerts.deliver();
  expect(received(path)).toEqual([]);
  const login = await guest.send<{ token: string }>("POST", "/api/auth/login", {
    email: account.email,
    password: newPassword,
  });
  const answer = await fetch(new URL(address, service.url), {
    headers: { authorization: `Bearer ${login.body.token}` },
  });
  expect(await answer.json()).toMatchObject({
    alert: { state: "paused", error: "The password of the account was reset" },
  });
});

test("a worker that ends in between tells nothing twice and leaves nothing out", async () => {
  const { path, add, deliveries } = await scene({ perHour: 1_000 });
  await add(...Array.from({ length: 30 }, (_, i) => recentEvent({ depth: i })));
  const ending = new AbortController();
  ending.abort();
  await alerts.tell(ending.signal);
  expect(await deliveries()).toEqual([]);
  // Two at once: one of them finds the checkpoint moved, and leaves what the other has done.
  const both = await Promise.allSettled([alerts.tell(), alerts.tell()]);
  expect(both.some(({ status }) => status === "fulfilled")).toBe(true);
  await alerts.tell();
  await alerts.deliver();
  const events = received(path).map(({ body }) => body.event["id"]);
  expect(events).toHaveLength(30);
  expect(new Set(events).size).toBe(30);
});

test("receivers that never answer, redirect or stream for ever are cut off in time, and keep nobody waiting", async () => {
  const hostile = await scene();
  const good = await scene();
  for (const behaviour of ["redirect", "stream", "hang"] as const) {
    alerts.receiver.behave(({ path }) => (path === hostile.path ? behaviour : 200));
    await hostile.add(recentEvent());
    await good.add(recentEvent());
    await alerts.tell();
    const began = performance.now();
    const delivering = alerts.deliver(1);
    await alerts.receiver.taken(good.path, 1);
    await delivering;
    expect(performance.now() - began).toBeLessThan(15_000);
  }
  const [hung, streamed, redirected] = await hostile.deliveries();
  expect(redirected).toMatchObject({ status: "pending", response: 302 });
  expect(streamed).toMatchObject({ status: "delivered", response: 200 });
  expect(hung).toMatchObject({ status: "pending", response: expect.stringContaining("10 s") });
  expect(alerts.receiver.streamed()).toBeLessThan(8 * 1024 * 1024);
  expect(received(`${hostile.path}/elsewhere`)).toEqual([]);
  expect((await good.deliveries()).map(({ status }) => status)).toEqual(
    Array.from({ length: 3 }, () => "delivered"),
  );
});

test("a test is sent at once, marked as one, one at a time", async () => {
  const { path, address, deliveries } = await scene();
  const made = await editor.send<{ delivery: AlertDelivery }>("POST", `${address}/test`);
  expect([made.status, made.body.delivery.type]).toEqual([202, "test"]);
  expectRefusal(await editor.send("POST", `${address}/test`), "CONFLICT");
  await alerts.deliver();
  expect(received(path).map(({ body }) => body.type)).toEqual(["test"]);
  expect((await deliveries()).map(statusOf)).toEqual([["delivered", 1, 200]]);
});

test("deliveries come in pages, newest first", async () => {
  const { address, add } = await scene();
  await add(...Array.from({ length: 5 }, (_, i) => recentEvent({ depth: i })));
  await alerts.tell();
  type Page = { deliveries: AlertDelivery[]; nextCursor?: string };
  const ids: string[] = [];
  let query = "?limit=2";
  for (;;) {
    const { body } = await editor.get<Page>(`${address}/deliveries${query}`);
    ids.push(...body.deliveries.map(({ id }) => id));
    if (body.nextCursor === undefined) break;
    query = `?limit=2&cursor=${body.nextCursor}`;
  }
  expect(new Set(ids).size).toBe(5);
  expectRefusal(await editor.get(`${address}/deliveries?cursor=other`), "INVALID_CURSOR");
});

test("a deleted alert sends nothing of what waits", async () => {
  const { path, address, add } = await scene();
  await add(recentEvent());
  await alerts.tell();
  expect((await editor.send("DELETE", address)).status).toBe(200);
  await alerts.deliver();
  expect(received(path)).toEqual([]);
  expectRefusal(await editor.get(address), "NOT_FOUND");
});
