import { createHmac, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { consumeResetToken } from "#infra/security/vault/reset-tokens.ts";
import { listActiveAdministratorIds } from "#projections/queries/accounts/user-queries.ts";
import { updateUserCommand } from "#services/commands/accounts/update-user.ts";
import { newCommand } from "../accounts/use-accounts.ts";
import { review, submission } from "./role-requests.ts";
import { HOUR, PUBLIC_BASE_URL, SECRET, useNotifications } from "./use-notifications.ts";

const scene = useNotifications();

describe("a password reset", () => {
  test("a password reset goes to its user, with a link whose token works", async () => {
    const { userId, email } = await scene.accounts.register("viewer");
    const { id } = await scene.takeReset(userId);
    await scene.deliver();
    const [body] = scene.webhook.taken;
    expect(body).toMatchObject({ to: email, type: "password_reset", id });
    expect(body?.subject).toBe("Reset your password");
    expect(body?.timestamp).toBe(scene.deps.now().toISOString());
    const token = /^(\S+)\/reset-password\?token=([\w-]{43})$/m.exec(body?.message ?? "");
    expect(token?.[1]).toBe(PUBLIC_BASE_URL);
    const { pool } = scene.accounts;
    expect(await consumeResetToken(pool, token?.[2] ?? "", scene.deps.now())).toBe(userId);
    expect(await scene.list()).toMatchObject([
      { id, recipient_user_id: userId, status: "delivered", attempts: 1, last_error: null },
    ]);
  });

  test("a password reset is signed over the bytes of its body", async () => {
    const { userId } = await scene.accounts.register("viewer");
    await scene.takeReset(userId);
    await scene.deliver();
    const [call] = scene.webhook.calls;
    const expected = createHmac("sha256", SECRET)
      .update(call?.text ?? "")
      .digest("hex");
    expect(call?.headers["x-webhook-signature"]).toBe(`sha256=${expected}`);
  });

  test("a password reset is delivered once, however often its notice comes", async () => {
    const { userId } = await scene.accounts.register("viewer");
    const notice = await scene.takeReset(userId);
    await scene.take(notice);
    await scene.deliver();
    await scene.take(notice);
    await scene.deliver();
    expect(scene.webhook.calls).toHaveLength(1);
    expect(await scene.list()).toHaveLength(1);
  });
});

describe("an account that an administrator made", () => {
  test("an account that an administrator made gets a link that works for a week", async () => {
    const { userId, email } = await scene.accounts.register("viewer");
    const data = { userId, resetId: randomUUID() };
    await scene.take(await scene.append({ type: "UserInvited", data }));
    await scene.deliver();
    const [body] = scene.webhook.taken;
    expect(body).toMatchObject({ to: email, type: "password_reset", subject: "Your new account" });
    const token = /reset-password\?token=([\w-]{43})$/m.exec(body?.message ?? "")?.[1] ?? "";
    const { pool } = scene.accounts;
    const later = (ms: number) => new Date(scene.deps.now().getTime() + ms);
    expect(await consumeResetToken(pool, token, later(7 * 24 * HOUR))).toBeNull();
    expect(await consumeResetToken(pool, token, later(7 * 24 * HOUR - 1))).toBe(userId);
  });
});

describe("an account that waits for approval", () => {
  test("an account that waits for approval is told of to every active administrator", async () => {
    const { userId, email } = await scene.accounts.register("viewer");
    await scene.accounts.register("admin");
    await scene.take(await scene.append({ type: "ApprovalRequested", data: { userId } }));
    await scene.deliver();
    const administrators = await listActiveAdministratorIds(scene.accounts.pool);
    const listed = await scene.list();
    expect(listed.map((one) => one.recipient_user_id).toSorted()).toEqual(administrators);
    expect(scene.webhook.taken[0]).toMatchObject({ type: "approval_requested" });
    const message = scene.webhook.taken[0]?.message ?? "";
    expect(message).toContain(`Ana <${email}> has registered`);
    expect(message).toContain(`${PUBLIC_BASE_URL}/admin/users?search=${userId}`);
  });

  test("an account that was activated is told so, with the page for signing in and no name", async () => {
    const { userId, email } = await scene.accounts.register("viewer");
    const notice = await scene.append({ type: "UserReactivated", data: { userId } });
    await scene.take(notice);
    await scene.deliver();
    expect(scene.webhook.taken).toMatchObject([
      { to: email, type: "account_activated", subject: "Your account is active", id: notice.id },
    ]);
    const message = scene.webhook.taken[0]?.message ?? "";
    expect(message).toContain(`\n${PUBLIC_BASE_URL}/login\n`);
    expect(message).not.toContain("Ana");
  });

  test("an account that was deactivated again meanwhile is not told that it is active", async () => {
    const { userId } = await scene.accounts.register("viewer");
    await scene.take(await scene.append({ type: "UserReactivated", data: { userId } }));
    const { context } = scene.accounts;
    await updateUserCommand(context, newCommand(), userId, { isActive: false });
    await scene.deliver();
    expect(scene.webhook.taken).toEqual([]);
    expect(await scene.list()).toMatchObject([
      { status: "dropped", last_error: "the recipient is deactivated" },
    ]);
  });
});

describe("a role request", () => {
  test("a role request goes to every active administrator, each under an id of its own", async () => {
    const { userId, email } = await scene.accounts.register("viewer");
    await scene.accounts.register("admin");
    await scene.accounts.register("admin");
    const event = await submission(scene.accounts, userId);
    const notice = await scene.append(event);
    await scene.take(notice);
    await scene.deliver();
    await scene.take(notice);
    await scene.deliver();
    const administrators = await listActiveAdministratorIds(scene.accounts.pool);
    expect(administrators.length).toBeGreaterThanOrEqual(2);
    const listed = await scene.list();
    expect(listed.map((one) => one.recipient_user_id).toSorted()).toEqual(administrators);
    expect(scene.webhook.taken.map(({ id }) => id).toSorted()).toEqual(
      listed.map(({ id }) => id).toSorted(),
    );
    expect(scene.webhook.taken[0]?.subject).toBe("Role request: viewer to editor");
    const message = scene.webhook.taken[0]?.message ?? "";
    expect(message).toContain(`Ana <${email}> has the role viewer and asks for the role editor`);
    expect(message).toContain("> I look after\n> the Kermadec catalogue.");
    expect(message).toContain(`${PUBLIC_BASE_URL}/role-requests?status=pending`);
  });

  test("a role request does not go to who is no administrator any more when it is sent", async () => {
    const { userId } = await scene.accounts.register("viewer");
    const former = await scene.accounts.register("admin");
    await scene.take(await scene.append(await submission(scene.accounts, userId)));
    scene.webhook.behave(() => 500);
    await scene.deliver();
    await updateUserCommand(scene.accounts.context, newCommand(), former.userId, {
      role: "viewer",
    });
    scene.webhook.behave(() => 200);
    scene.advance(HOUR);
    await scene.deliver();
    const listed = await scene.list();
    expect(listed.find((one) => one.recipient_user_id === former.userId)).toMatchObject({
      status: "dropped",
      last_error: "the recipient is no administrator any more",
    });
    expect(scene.webhook.taken.map(({ to }) => to)).not.toContain(former.email);
    expect(scene.webhook.taken).toHaveLength(listed.length - 1);
  });

  test.each([
    ["approved", "You have it from now on."],
    ["rejected", "Your role stays as it was."],
  ] as const)(
    "a role request tells its user that it was %s, with the notes",
    async (status, effect) => {
      const { userId, email } = await scene.accounts.register("viewer");
      const submitted = await submission(scene.accounts, userId);
      await scene.append(submitted);
      const notice = await scene.append(await review(scene.accounts, submitted, status));
      await scene.take(notice);
      await scene.deliver();
      const [body] = scene.webhook.taken;
      expect(body).toMatchObject({
        to: email,
        id: notice.id,
        type: "role_request_reviewed",
        subject: `Your role request was ${status}`,
      });
      expect(body?.message).toContain(
        `your request for the role editor at ${PUBLIC_BASE_URL} was ${status}. ${effect}`,
      );
      expect(body?.message).toContain("> As agreed.");
    },
  );
});
