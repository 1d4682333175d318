import { createHmac, randomUUID } from "node:crypto";
import { sql } from "slonik";
import { describe, expect, test } from "vitest";
import {
  claimNotification,
  notificationCounts,
  retryNotification,
} from "#infra/brokers/notifications.ts";
import { createWebhook, WebhookFailure } from "#infra/brokers/webhook.ts";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { consumeResetToken, forgetUser } from "#infra/vault/credentials.ts";
import { listActiveAdministratorIds } from "#projections/read/accounts.ts";
import { updateUserCommand } from "#services/accounts/commands.ts";
import { deliverDue, MAX_ATTEMPTS } from "#services/notifier/delivery.ts";
import { newCommand } from "../accounts/use-accounts.ts";
import {
  HOUR,
  MINUTE,
  PUBLIC_BASE_URL,
  review,
  SECRET,
  submission,
  useNotifications,
} from "./use-notifications.ts";

const scene = useNotifications();
const { accounts } = scene;

const viewer = () => accounts.register("viewer");
const takenIds = () => scene.webhook.taken.map(({ id }) => id).toSorted();
const administrators = () => listActiveAdministratorIds(accounts.pool);
const update = (userId: string, change: Parameters<typeof updateUserCommand>[3]) =>
  updateUserCommand(accounts.context, newCommand(), userId, change);

/** A reset of a new user's password that waits for its delivery. */
async function reset() {
  const user = await viewer();
  return { ...user, id: (await scene.takeReset(user.userId)).id };
}

/** Appends an event, takes its notice in and delivers what is due. */
async function told(event: Parameters<typeof scene.append>[0]) {
  const notice = await scene.append(event);
  await scene.take(notice);
  await scene.deliver();
  return notice;
}

describe("what is told to whom", () => {
  test("a password reset goes to its user, signed, once, with a link whose token works", async () => {
    const { userId, email, id } = await reset();
    await scene.deliver();
    const [body] = scene.webhook.taken;
    expect(body).toMatchObject({
      ...{ to: email, type: "password_reset", id, subject: "Reset your password" },
      timestamp: scene.deps.now().toISOString(),
    });
    const token = /^(\S+)\/reset-password\?token=([\w-]{43})$/m.exec(body?.message ?? "");
    expect(token?.[1]).toBe(PUBLIC_BASE_URL);
    expect(await consumeResetToken(accounts.pool, token?.[2] ?? "", scene.deps.now())).toBe(userId);
    const delivered = { status: "delivered", attempts: 1, last_error: null };
    expect(await scene.list()).toMatchObject([{ id, recipient_user_id: userId, ...delivered }]);
    const [call] = scene.webhook.calls;
    const signature = createHmac("sha256", SECRET)
      .update(call?.text ?? "")
      .digest("hex");
    expect(call?.headers["x-webhook-signature"]).toBe(`sha256=${signature}`);
  });

  test("an account that an administrator made gets a link that works for a week", async () => {
    const { userId, email } = await viewer();
    await told({ type: "UserInvited", data: { userId, resetId: randomUUID() } });
    const [body] = scene.webhook.taken;
    expect(body).toMatchObject({ to: email, type: "password_reset", subject: "Your new account" });
    const token = /reset-password\?token=([\w-]{43})$/m.exec(body?.message ?? "")?.[1] ?? "";
    const later = (ms: number) => new Date(scene.deps.now().getTime() + ms);
    expect(await consumeResetToken(accounts.pool, token, later(7 * 24 * HOUR))).toBeNull();
    expect(await consumeResetToken(accounts.pool, token, later(7 * 24 * HOUR - 1))).toBe(userId);
  });

  test("an account that waits for approval is told of to every active administrator, and told that it is active, with no name", async () => {
    const { userId, email } = await viewer();
    await accounts.register("admin");
    await told({ type: "ApprovalRequested", data: { userId } });
    const recipients = (await scene.list()).map((one) => one.recipient_user_id);
    expect(recipients.toSorted()).toEqual(await administrators());
    expect(scene.webhook.taken[0]).toMatchObject({ type: "approval_requested" });
    const message = scene.webhook.taken[0]?.message ?? "";
    expect(message).toContain(`Ana <${email}> has registered`);
    expect(message).toContain(`${PUBLIC_BASE_URL}/admin/users?search=${userId}`);

    const { id } = await told({ type: "UserReactivated", data: { userId } });
    const body = scene.webhook.taken.at(-1);
    const expected = { to: email, type: "account_activated", subject: "Your account is active" };
    expect(body).toMatchObject({ ...expected, id });
    expect(body?.message).toContain(`\n${PUBLIC_BASE_URL}/login\n`);
    expect(body?.message).not.toContain("Ana");
  });

  test("a role request goes to every active administrator, each under an id of its own, and to nobody who is none any more", async () => {
    const { userId, email } = await viewer();
    const former = await accounts.register("admin");
    await accounts.register("admin");
    const notice = await scene.append(await submission(accounts, userId));
    await scene.take(notice);
    scene.webhook.behave((body) => (body?.to === former.email ? 500 : 200));
    await scene.deliver();
    expect((await administrators()).length).toBeGreaterThanOrEqual(2);
    await update(former.userId, { role: "viewer" });
    scene.webhook.behave(() => 200);
    scene.advance(HOUR);
    await scene.take(notice);
    await scene.deliver();
    const listed = await scene.list();
    const dropped = listed.filter(({ status }) => status === "dropped");
    const last_error = "the recipient is no administrator any more";
    expect(dropped).toMatchObject([{ recipient_user_id: former.userId, last_error }]);
    const others = listed.filter((one) => !dropped.includes(one));
    const recipients = others.map((one) => one.recipient_user_id);
    expect(recipients.toSorted()).toEqual(await administrators());
    expect(takenIds()).toEqual(others.map(({ id }) => id).toSorted());
    expect(scene.webhook.taken.map(({ to }) => to)).not.toContain(former.email);
    expect(scene.webhook.taken[0]?.subject).toBe("Role request: viewer to editor");
    const message = scene.webhook.taken[0]?.message ?? "";
    expect(message).toContain(`Ana <${email}> has the role viewer and asks for the role editor`);
    expect(message).toContain("> I look after\n> the Kermadec catalogue.");
    expect(message).toContain(`${PUBLIC_BASE_URL}/role-requests?status=pending`);
  });

  test("a role request tells its user that it was approved or rejected, with the notes", async () => {
    for (const [status, effect] of [
      ["approved", "You have it from now on."],
      ["rejected", "Your role stays as it was."],
    ] as const) {
      const { userId, email } = await viewer();
      const submitted = await submission(accounts, userId);
      await scene.append(submitted);
      const { id } = await told(await review(accounts, submitted, status));
      const body = scene.webhook.taken.at(-1);
      const subject = `Your role request was ${status}`;
      expect(body).toMatchObject({ to: email, id, type: "role_request_reviewed", subject });
      expect(body?.message).toContain(
        `your request for the role editor at ${PUBLIC_BASE_URL} was ${status}. ${effect}`,
      );
      expect(body?.message).toContain("> As agreed.");
    }
  });

  test("without a webhook each notification is one line of the log, without address, token or link", async () => {
    const { userId, email, id } = await reset();
    await deliverDue({ ...scene.deps, webhook: null }, new AbortController().signal);
    const line = { notification: id, type: "password_reset", recipient: userId };
    expect(scene.lines).toMatchObject([line]);
    const secrets = new RegExp(`${email}|reset-password|token|http`);
    expect(JSON.stringify(scene.lines)).not.toMatch(secrets);
    expect(await scene.list()).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });
});

describe("a notification is dropped", () => {
  test("whose recipient was deleted, never there or is deactivated, as is one about a user who was deleted", async () => {
    const deleted = await reset();
    await forgetUser(accounts.pool, deleted.userId);
    await scene.takeReset("user_1_nobody");
    for (const event of ["PasswordResetRequested", "UserReactivated"] as const) {
      const { userId } = await viewer();
      const data = { userId, resetId: randomUUID() };
      await scene.take(await scene.append({ type: event, data }));
      await update(userId, { isActive: false });
    }
    await scene.deliver();
    expect(scene.webhook.calls).toEqual([]);
    const ends = async () => (await scene.list()).map((one) => [one.status, one.last_error]);
    expect((await ends()).toSorted()).toEqual([
      ["dropped", "the recipient is deactivated"],
      ["dropped", "the recipient is deactivated"],
      ["dropped", "the recipient was deleted"],
      ["dropped", "the recipient was deleted"],
    ]);
    await scene.clear();
    const { userId } = await viewer();
    await accounts.register("admin");
    await scene.take(await scene.append(await submission(accounts, userId)));
    scene.webhook.behave(() => 500);
    await scene.deliver();
    await forgetUser(accounts.pool, userId);
    scene.advance(HOUR);
    await scene.deliver();
    expect((await ends()).length).toBeGreaterThan(0);
    for (const end of await ends()) {
      expect(end).toEqual(["dropped", "the user it is about was deleted"]);
    }
  });

  test("never while its user is only not in the read model, and parked while its event is not at its place", async () => {
    const { pool } = accounts;
    const { userId, id } = await reset();
    const hidden = `hidden ${userId}`;
    await pool.query(sql.unsafe`update read_model.users set id = ${hidden} where id = ${userId}`);
    await scene.deliver();
    const last_error = "it could not be prepared (UserNotVisible)";
    expect(await scene.list()).toMatchObject([{ status: "pending", last_error }]);
    await pool.query(sql.unsafe`update read_model.users set id = ${userId} where id = ${hidden}`);
    scene.advance(HOUR);
    await scene.deliver();
    expect(scene.webhook.taken).toMatchObject([{ id }]);

    await scene.clear();
    await scene.take({ id: randomUUID(), type: "password_reset", stream: "user-x", revision: 7 });
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await scene.deliver();
      scene.advance(HOUR);
    }
    const parked = { status: "parked", last_error: "it could not be prepared (Error)" };
    expect(await scene.list()).toMatchObject([parked]);
  });
});

describe("workers", () => {
  test("one that dies in the attempt leaves its notification to another, under the same id", async () => {
    const { id } = await reset();
    const send = () => Promise.reject(new Error("Connection terminated unexpectedly"));
    const dying = { ...scene.deps, webhook: { send } };
    await expect(deliverDue(dying, new AbortController().signal)).rejects.toThrow("terminated");
    await scene.deliver();
    expect(scene.webhook.calls).toEqual([]);
    scene.advance(MINUTE);
    await scene.deliver();
    expect(scene.webhook.taken).toMatchObject([{ id }]);
  });

  test("several at once deliver each notification once", async () => {
    const users = await Promise.all(Array.from({ length: 3 }, viewer));
    const ids: string[] = [];
    for (let i = 0; i < 24; i += 1) {
      ids.push((await scene.takeReset(users[i % users.length]?.userId ?? "")).id);
    }
    await Promise.all([scene.deliver(), scene.deliver(), scene.deliver()]);
    expect(takenIds()).toEqual(ids.toSorted());
  });
});

describe("a failing webhook", () => {
  test("gets the notification again under the same id, whatever it did", async () => {
    for (const [fault, last_error] of [
      [500, "the webhook answered 500"],
      [404, "the webhook answered 404"],
      ["redirect", "the webhook answered with a redirect (307)"],
      ["hang", "the webhook did not answer within 0.15 s"],
      ["reset", "the webhook could not be reached (ECONNRESET)"],
    ] as const) {
      await scene.clear();
      const { id } = await reset();
      scene.webhook.behave(() => fault);
      await scene.deliver(fault === "hang" ? 150 : undefined);
      const pending = { status: "pending", attempts: 1, last_error };
      expect(await scene.list(), last_error).toMatchObject([pending]);
      await scene.deliver();
      expect(scene.webhook.calls).toHaveLength(1);
      scene.webhook.behave(() => 204);
      scene.advance(MINUTE);
      await scene.deliver();
      expect(scene.webhook.calls.map(({ path, body }) => [path, body.id])).toEqual([
        ["/hook", id],
        ["/hook", id],
      ]);
      const delivered = { id, status: "delivered", attempts: 2, last_error: null };
      expect(await scene.list(), last_error).toMatchObject([delivered]);
    }
  });

  test("parks everything after all attempts, of which nothing is lost; a retry delivers it under the same id", async () => {
    const ids: string[] = [];
    scene.webhook.behave(() => 503);
    for (let hour = 0; hour < 2 * MAX_ATTEMPTS; hour += 1) {
      if (hour < 3) ids.push((await reset()).id);
      await scene.deliver();
      scene.advance(HOUR);
    }
    const parked = await scene.list();
    expect(parked.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const last_error = "the webhook answered 503";
    for (const one of parked) {
      expect(one).toMatchObject({ status: "parked", attempts: MAX_ATTEMPTS, last_error });
    }
    expect(scene.webhook.calls).toHaveLength(MAX_ATTEMPTS * ids.length);
    expect(scene.lines.filter(({ msg }) => msg === "notification parked")).toHaveLength(ids.length);

    const [id = ""] = ids;
    const retry = () => retryNotification(accounts.pool, id, scene.deps.now());
    const stateOf = async () => (await scene.list()).find((one) => one.id === id);
    expect([await retry(), await retry()]).toEqual([true, false]);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      expect(await stateOf()).toMatchObject({ status: "pending", attempts: attempt - 1 });
      await scene.deliver();
      scene.advance(HOUR);
    }
    expect(await stateOf()).toMatchObject({ status: "parked", attempts: MAX_ATTEMPTS });
    await retry();
    scene.webhook.behave(() => 200);
    await scene.deliver();
    expect(scene.webhook.taken).toMatchObject([{ id }]);
    expect(await stateOf()).toMatchObject({ status: "delivered", attempts: 1 });
    const counts = { pending: 0, delivered: 1, parked: 2, dropped: 0 };
    expect(await notificationCounts(accounts.pool)).toEqual(counts);
  });

  test("is left alone for as long as it asks, an hour at most, and never for less than the usual wait", async () => {
    for (const [status, retryAfter, waitMs] of [
      [429, "600", 10 * MINUTE],
      [503, new Date(Date.now() + 30 * MINUTE).toUTCString(), 30 * MINUTE],
      [503, "864000", HOUR],
    ] as const) {
      await scene.clear();
      // The date is by the clock of the machine.
      scene.advance(Date.now() - scene.deps.now().getTime());
      await reset();
      scene.webhook.behave(() => ({ status, retryAfter }));
      await scene.deliver();
      scene.advance(waitMs - 2 * MINUTE);
      await scene.deliver();
      expect(scene.webhook.calls, retryAfter).toHaveLength(1);
      scene.webhook.behave(() => 200);
      scene.advance(2 * MINUTE);
      await scene.deliver();
      expect(await scene.list(), retryAfter).toMatchObject([{ status: "delivered", attempts: 2 }]);
    }
    await scene.clear();
    await reset();
    scene.webhook.behave(() => ({ status: 429, retryAfter: "1" }));
    await scene.deliver();
    scene.advance(5_000);
    await scene.deliver();
    expect(scene.webhook.calls).toHaveLength(1);
  });

  test("has times between the attempts that double up to an hour", async () => {
    await reset();
    scene.webhook.behave(() => 500);
    const longest = [30, 60, 120, 240, 480, 960, 1920];
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      await scene.deliver();
      const seconds = longest[attempt - 1] ?? 0;
      scene.advance((seconds / 2) * 1_000 - 1_000);
      await scene.deliver();
      expect(scene.webhook.calls).toHaveLength(attempt);
      scene.advance((seconds / 2) * 1_000 + 2_000);
    }
  });
});

test("a clock that is set back by hours holds up no notification, and by less than a claim lasts takes no claim from its worker", async () => {
  for (const hasFailed of [false, true]) {
    await scene.clear();
    await reset();
    if (hasFailed) {
      scene.webhook.behave(() => 500);
      await scene.deliver();
      scene.webhook.behave(() => 200);
    }
    scene.advance(-5 * HOUR);
    await scene.deliver();
    scene.advance(5 * HOUR);
    expect(scene.webhook.taken).toHaveLength(1);
    expect(await scene.list()).toMatchObject([{ status: "delivered" }]);
  }
  await reset();
  const { pool, now } = scene.deps;
  const claimed = await claimNotification(pool, now(), MINUTE);
  scene.advance(-MINUTE / 2);
  expect(claimed).not.toBeNull();
  expect(await claimNotification(pool, now(), MINUTE)).toBeNull();
  scene.advance(MINUTE / 2);
});

test("a webhook gets JSON in UTF-8, a signature by each of its secrets and the credentials of its address, and shows no address where it fails", async () => {
  const body = {
    to: "ana@example.org",
    subject: "Prüfung",
    message: "Ζεύς\n",
    type: "password_reset",
    id: randomUUID(),
    timestamp: "2026-01-01T00:00:00.000Z",
  } as const;
  const secrets = ["the new one", "the one before"];
  const at = (url: string, own: readonly string[] = []) =>
    createWebhook({ secrets: own, timeoutMs: 5_000, url }).send(body);
  await at(scene.webhook.url);
  await at(scene.webhook.url.replace("http://", "http://mailer:p%40ss@"), secrets);
  const [plain, signed] = scene.webhook.calls;
  expect(plain?.body).toEqual(body);
  expect(plain?.headers["content-type"]).toBe("application/json");
  expect(plain?.headers).not.toHaveProperty("x-webhook-signature");
  const expected = secrets.map((secret) => {
    const signature = createHmac("sha256", secret).update(signed?.text ?? "");
    return `sha256=${signature.digest("hex")}`;
  });
  expect(signed?.headers["x-webhook-signature"]).toBe(expected.join(","));
  const basic = `Basic ${Buffer.from("mailer:p@ss").toString("base64")}`;
  expect([signed?.headers.authorization, signed?.path]).toEqual([basic, "/hook"]);
  const sending = at(`http://127.0.0.1:${await freePort()}/hook?key=hidden`);
  await expect(sending).rejects.toThrow(
    new WebhookFailure("the webhook could not be reached (ECONNREFUSED)"),
  );
});
