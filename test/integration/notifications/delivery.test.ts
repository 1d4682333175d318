import { randomUUID } from "node:crypto";
import { sql } from "slonik";
import { describe, expect, test } from "vitest";
import { forgetUser } from "#infra/security/vault/credentials.ts";
import { updateUserCommand } from "#services/commands/accounts/update-user.ts";
import { deliverDue, MAX_ATTEMPTS } from "#services/notifier/deliver-due.ts";
import { newCommand } from "../accounts/use-accounts.ts";
import { submission } from "./role-requests.ts";
import { HOUR, MINUTE, useNotifications } from "./use-notifications.ts";

const scene = useNotifications();

describe("a notification", () => {
  test("a notification to a user who was deleted is dropped", async () => {
    const { userId } = await scene.accounts.register("viewer");
    await scene.takeReset(userId);
    await forgetUser(scene.accounts.pool, userId);
    await scene.deliver();
    expect(scene.webhook.calls).toEqual([]);
    expect(await scene.list()).toMatchObject([
      { status: "dropped", last_error: "the recipient was deleted" },
    ]);
  });

  test("a notification to somebody who was never there is dropped", async () => {
    await scene.takeReset("user_1_nobody");
    await scene.deliver();
    expect(await scene.list()).toMatchObject([
      { status: "dropped", last_error: "the recipient was deleted" },
    ]);
  });

  test("a notification to a user who is not in the read model, but was not deleted, is not dropped", async () => {
    const { pool } = scene.accounts;
    const { userId } = await scene.accounts.register("viewer");
    const { id } = await scene.takeReset(userId);
    const hide = sql.unsafe`update read_model.users set id = ${`hidden ${userId}`} where id = ${userId}`;
    const show = sql.unsafe`update read_model.users set id = ${userId} where id = ${`hidden ${userId}`}`;
    await pool.query(hide);
    await scene.deliver();
    expect(await scene.list()).toMatchObject([
      { status: "pending", last_error: "it could not be prepared (UserNotVisible)" },
    ]);
    await pool.query(show);
    scene.advance(HOUR);
    await scene.deliver();
    expect(scene.webhook.taken).toMatchObject([{ id }]);
  });

  test("about a user who was deleted meanwhile is dropped", async () => {
    const { userId } = await scene.accounts.register("viewer");
    await scene.accounts.register("admin");
    await scene.take(await scene.append(await submission(scene.accounts, userId)));
    scene.webhook.behave(() => 500);
    await scene.deliver();
    await forgetUser(scene.accounts.pool, userId);
    scene.advance(HOUR);
    await scene.deliver();
    const ends = (await scene.list()).map((one) => [one.status, one.last_error]);
    expect(ends.length).toBeGreaterThan(0);
    for (const end of ends) expect(end).toEqual(["dropped", "the user it is about was deleted"]);
  });

  test("a notification to a deactivated user is dropped", async () => {
    const { userId } = await scene.accounts.register("viewer");
    await updateUserCommand(scene.accounts.context, newCommand(), userId, { isActive: false });
    await scene.takeReset(userId);
    await scene.deliver();
    expect(await scene.list()).toMatchObject([
      { status: "dropped", last_error: "the recipient is deactivated" },
    ]);
  });

  test("a notification whose event is not at its place is parked, not lost", async () => {
    await scene.take({ id: randomUUID(), type: "password_reset", stream: "user-x", revision: 7 });
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await scene.deliver();
      scene.advance(HOUR);
    }
    expect(await scene.list()).toMatchObject([
      { status: "parked", last_error: "it could not be prepared (Error)" },
    ]);
  });

  test("a notification is delivered by another worker when its own dies in the attempt, under the same id", async () => {
    const { userId } = await scene.accounts.register("viewer");
    const { id } = await scene.takeReset(userId);
    const dying = { ...scene.deps, webhook: { send: () => Promise.reject(connectionLost()) } };
    await expect(deliverDue(dying, new AbortController().signal)).rejects.toThrow("terminated");
    await scene.deliver();
    expect(scene.webhook.calls).toEqual([]);
    scene.advance(MINUTE);
    await scene.deliver();
    expect(scene.webhook.taken).toMatchObject([{ id }]);
  });

  test("a notification that several workers deliver at once is delivered once", async () => {
    const users = await Promise.all(
      Array.from({ length: 5 }, () => scene.accounts.register("viewer")),
    );
    const ids: string[] = [];
    for (let i = 0; i < 40; i += 1) {
      ids.push((await scene.takeReset(users[i % users.length]?.userId ?? "")).id);
    }
    await Promise.all([scene.deliver(), scene.deliver(), scene.deliver()]);
    expect(scene.webhook.taken.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });
});

describe("without a webhook", () => {
  test("each notification is one line of the log, without address, token or link", async () => {
    const { userId, email } = await scene.accounts.register("viewer");
    const { id } = await scene.takeReset(userId);
    await deliverDue({ ...scene.deps, webhook: null }, new AbortController().signal);
    expect(scene.lines).toMatchObject([
      { notification: id, type: "password_reset", recipient: userId },
    ]);
    expect(JSON.stringify(scene.lines)).not.toMatch(
      new RegExp(`${email}|reset-password|token|http`),
    );
    expect(await scene.list()).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });
});

function connectionLost(): Error {
  return new Error("Connection terminated unexpectedly");
}
