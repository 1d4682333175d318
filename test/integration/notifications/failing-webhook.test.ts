import { describe, expect, test } from "vitest";
import { claimNotification } from "#infra/notifications/claimed-notifications.ts";
import {
  notificationCounts,
  retryNotification,
} from "#infra/notifications/notification-queries.ts";
import { MAX_ATTEMPTS } from "#services/notifier/deliver-due.ts";
import { HOUR, MINUTE, useNotifications } from "./use-notifications.ts";

const scene = useNotifications();

describe("a failing webhook", () => {
  test.each([
    [500, "the webhook answered 500"],
    [404, "the webhook answered 404"],
    ["redirect", "the webhook answered with a redirect (307)"],
    ["hang", "the webhook did not answer within 0.15 s"],
    ["reset", "the webhook could not be reached (UND_ERR_SOCKET)"],
  ] as const)(
    "a failing webhook that answers %s gets the notification again under the same id",
    async (fault, error) => {
      const { userId } = await scene.accounts.register("viewer");
      const { id } = await scene.takeReset(userId);
      scene.webhook.behave(() => fault);
      await scene.deliver(fault === "hang" ? 150 : undefined);
      expect(await scene.list()).toMatchObject([
        { status: "pending", attempts: 1, last_error: error },
      ]);
      await scene.deliver();
      expect(scene.webhook.calls).toHaveLength(1);
      scene.webhook.behave(() => 204);
      scene.advance(MINUTE);
      await scene.deliver();
      expect(scene.webhook.calls.map(({ path, body }) => [path, body.id])).toEqual([
        ["/hook", id],
        ["/hook", id],
      ]);
      expect(await scene.list()).toMatchObject([
        { id, status: "delivered", attempts: 2, last_error: null },
      ]);
    },
  );

  test("a failing webhook for a week parks everything, and nothing is lost", async () => {
    const users = [];
    for (let i = 0; i < 3; i += 1) users.push(await scene.accounts.register("viewer"));
    scene.webhook.behave(() => 503);
    const ids: string[] = [];
    for (let hour = 0; hour < 7 * 24; hour += 1) {
      const user = users[hour % users.length];
      if (hour % 12 === 0 && user) ids.push((await scene.takeReset(user.userId)).id);
      await scene.deliver();
      scene.advance(HOUR);
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await scene.deliver();
      scene.advance(HOUR);
    }
    const parked = await scene.list();
    expect(parked.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const one of parked) {
      expect(one).toMatchObject({
        status: "parked",
        attempts: MAX_ATTEMPTS,
        last_error: "the webhook answered 503",
      });
    }
    expect(scene.webhook.calls).toHaveLength(MAX_ATTEMPTS * ids.length);
    expect(scene.lines.filter(({ msg }) => msg === "notification parked")).toHaveLength(ids.length);
  });

  test("a failing webhook that comes back gets a parked notification after a retry, under the same id", async () => {
    const { userId } = await scene.accounts.register("viewer");
    const { id } = await scene.takeReset(userId);
    const retry = () => retryNotification(scene.accounts.pool, id, scene.deps.now());
    const untilParked = async (): Promise<void> => {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        expect(await scene.list()).toMatchObject([{ status: "pending", attempts: attempt - 1 }]);
        await scene.deliver();
        scene.advance(HOUR);
      }
      expect(await scene.list()).toMatchObject([{ status: "parked", attempts: MAX_ATTEMPTS }]);
    };
    scene.webhook.behave(() => 500);
    await untilParked();
    await scene.deliver();
    expect(scene.webhook.calls).toHaveLength(MAX_ATTEMPTS);

    expect(await retry()).toBe(true);
    expect(await retry()).toBe(false);
    await untilParked();

    await retry();
    scene.webhook.behave(() => 200);
    await scene.deliver();
    expect(scene.webhook.taken).toMatchObject([{ id }]);
    expect(await scene.list()).toMatchObject([{ id, status: "delivered", attempts: 1 }]);
    expect(await notificationCounts(scene.accounts.pool)).toEqual({
      pending: 0,
      delivered: 1,
      parked: 0,
      dropped: 0,
    });
  });

  test.each([
    ["ten minutes in seconds", 429, "600", 10 * MINUTE],
    ["half an hour by a date", 503, new Date(Date.now() + 30 * MINUTE).toUTCString(), 30 * MINUTE],
    ["ten days", 503, "864000", HOUR],
  ])(
    "a failing webhook that asks for %s is left alone for so long, at most an hour",
    async (_, status, retryAfter, waitMs) => {
      const { userId } = await scene.accounts.register("viewer");
      await scene.takeReset(userId);
      scene.webhook.behave(() => ({ status, retryAfter }));
      await scene.deliver();
      scene.advance(waitMs - 2 * MINUTE);
      await scene.deliver();
      expect(scene.webhook.calls).toHaveLength(1);
      scene.webhook.behave(() => 200);
      scene.advance(2 * MINUTE);
      await scene.deliver();
      expect(await scene.list()).toMatchObject([{ status: "delivered", attempts: 2 }]);
    },
  );

  test("a failing webhook that asks for less than the usual wait gets no attempt sooner", async () => {
    const { userId } = await scene.accounts.register("viewer");
    await scene.takeReset(userId);
    scene.webhook.behave(() => ({ status: 429, retryAfter: "1" }));
    await scene.deliver();
    scene.advance(5_000);
    await scene.deliver();
    expect(scene.webhook.calls).toHaveLength(1);
  });

  test("a failing webhook leaves time between the attempts that doubles up to an hour", async () => {
    const { userId } = await scene.accounts.register("viewer");
    await scene.takeReset(userId);
    scene.webhook.behave(() => 500);
    const waits: number[] = [];
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      await scene.deliver();
      let waited = 0;
      while (scene.webhook.calls.length === attempt) {
        scene.advance(5_000);
        waited += 5;
        await scene.deliver();
      }
      waits.push(waited);
    }
    const longest = [30, 60, 120, 240, 480, 960, 1920];
    for (const [i, waited] of waits.entries()) {
      expect(waited).toBeGreaterThanOrEqual((longest[i] ?? 0) / 2);
      expect(waited).toBeLessThanOrEqual((longest[i] ?? 0) + 5);
    }
  });
});

describe("a clock that is set back", () => {
  test.each([
    ["new", false],
    ["waiting for its next attempt", true],
  ])(
    "a clock that is set back by hours holds up no notification that is %s",
    async (_, hasFailed) => {
      const { userId } = await scene.accounts.register("viewer");
      await scene.takeReset(userId);
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
    },
  );

  test("a clock that is set back by less than a claim lasts takes no claim from its worker", async () => {
    const { userId } = await scene.accounts.register("viewer");
    await scene.takeReset(userId);
    const { pool, now } = scene.deps;
    const claimed = await claimNotification(pool, now(), MINUTE);
    scene.advance(-MINUTE / 2);
    expect(claimed).not.toBeNull();
    expect(await claimNotification(pool, now(), MINUTE)).toBeNull();
    scene.advance(MINUTE / 2);
  });
});
