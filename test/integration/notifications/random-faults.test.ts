import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deliverDue } from "#services/notifier/delivery.ts";
import { runs } from "../../support/runs.ts";
import type { Behaviour } from "../../support/webhook-receiver.ts";
import { HOUR, MINUTE, useNotifications } from "./use-notifications.ts";

const scene = useNotifications();

/** One thing that happens between the appending of events and the end. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: "notice" } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "notice again" } as const) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("deliver" as const),
      behaviours: fc.array(fc.constantFrom<Behaviour>(200, 204, 500, 404, "reset", "redirect"), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  },
  // The worker dies before, or after, the webhook has taken the notification.
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("die" as const), sent: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ kind: "two at once" } as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      ms: fc.constantFrom(10_000, MINUTE, 10 * MINUTE, HOUR),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

type Taken = Awaited<ReturnType<typeof scene.takeReset>>;

async function run(steps: readonly Step[], userId: string): Promise<Taken[]> {
  const notices: Taken[] = [];
  const never = new AbortController().signal;
  for (const one of steps) {
    switch (one.kind) {
      case "notice":
        notices.push(await scene.takeReset(userId));
        break;
      case "notice again":
        for (const notice of notices.slice(0, 1)) await scene.take(notice);
        break;
      case "deliver": {
        let call = 0;
        scene.webhook.behave(() => {
          call += 1;
          return one.behaviours[call % one.behaviours.length] ?? 200;
        });
        await scene.deliver();
        break;
      }
      case "die": {
        scene.webhook.behave(() => 200);
        const { webhook } = scene.deps;
        const send: NonNullable<typeof webhook>["send"] = async (body) => {
          if (one.sent) await webhook?.send(body);
          throw new Error("Connection terminated unexpectedly");
        };
        await deliverDue({ ...scene.deps, webhook: { send } }, never).catch(() => undefined);
        break;
      }
      case "two at once":
        scene.webhook.behave(() => 200);
        await Promise.all([scene.deliver(), scene.deliver()]);
        break;
      case "wait":
        scene.advance(one.ms);
        break;
      default: {
        const unknown: never = one;
        throw new Error(`unknown step: ${JSON.stringify(unknown)}`);
      }
    }
  }
  return notices;
}

describe("whatever happens", () => {
  test("each notification ends delivered at least once under its id, or parked", async () => {
    const { userId } = await scene.accounts.register("viewer");
    await fc.assert(
      fc
        .asyncProperty(
          fc.array(step, { minLength: 5, maxLength: 25 }),
          fc.boolean(),
          async (steps, webhookComesBack) => {
            const notices = await run(steps, userId);
            scene.webhook.behave(() => (webhookComesBack ? 200 : 500));
            for (let hour = 0; hour < 12; hour += 1) {
              await scene.deliver();
              scene.advance(HOUR);
            }
            const states = new Map((await scene.list()).map(({ id, status }) => [id, status]));
            expect([...states.keys()].toSorted()).toEqual(notices.map(({ id }) => id).toSorted());
            const taken = new Set(scene.webhook.taken.map(({ id }) => id));
            for (const { id } of notices) {
              const status = states.get(id);
              expect(["delivered", "parked"]).toContain(status);
              if (status === "delivered") expect(taken.has(id)).toBe(true);
            }
          },
        )
        .beforeEach(() => scene.clear()),
      { numRuns: runs(25) },
    );
  });
});
