import fc from "fast-check";
import { expect, test } from "vitest";
import { useBroker } from "../../support/nats-server.ts";
import { runs } from "../../support/runs.ts";
import { notifierOf, publisherOf } from "./use-broker.ts";
import { HOUR, resetOf, useNotifications } from "./use-notifications.ts";

const scene = useNotifications();
const broker = useBroker();
const POLL = { timeout: 30_000, interval: 20 };

const STEPS = [
  "append",
  "append",
  "append",
  "all is taken in",
  "an hour passes",
  "broker dies",
  "broker comes back",
  "broker comes back empty",
  "publisher",
  "notifier",
  "webhook fails",
  "webhook works",
] as const;
type Step = (typeof STEPS)[number];

/** A part that is there or not; `toggle` starts or ends it. */
function part(start: () => { close: () => Promise<void> }) {
  let running: { close: () => Promise<void> } | null = null;
  return {
    isRunning: () => running !== null,
    toggle: async (): Promise<void> => {
      if (running) await running.close();
      running = running ? null : start();
    },
  };
}

/** The parts, and the ids of what was appended. */
function newService() {
  const ids: string[] = [];
  const publisher = part(() => publisherOf(scene, broker.url));
  const notifier = part(() => notifierOf(scene, broker.url));
  let brokerRuns = true;

  async function perform(step: Step, userId: string): Promise<void> {
    switch (step) {
      case "append":
        ids.push((await scene.append(resetOf(userId))).id);
        return;
      case "all is taken in":
        if (brokerRuns && publisher.isRunning() && notifier.isRunning()) await allTakenIn();
        return;
      case "an hour passes":
        scene.advance(HOUR);
        return;
      case "broker dies":
        await broker.kill();
        brokerRuns = false;
        return;
      case "broker comes back":
        if (!brokerRuns) await broker.restart();
        brokerRuns = true;
        return;
      case "broker comes back empty":
        await broker.wipe();
        await broker.restart();
        brokerRuns = true;
        return;
      case "publisher":
        return publisher.toggle();
      case "notifier":
        return notifier.toggle();
      case "webhook fails":
        scene.webhook.behave(() => 500);
        return;
      case "webhook works":
        scene.webhook.behave(() => 200);
        return;
      default: {
        const unknown: never = step;
        throw new Error(`unknown step: ${unknown}`);
      }
    }
  }

  async function allTakenIn(): Promise<void> {
    const taken = async () => (await scene.list()).map(({ id }) => id);
    await expect.poll(taken, POLL).toEqual(expect.arrayContaining(ids));
  }

  /** Everything works again. */
  async function recover(userId: string): Promise<void> {
    if (!publisher.isRunning()) await publisher.toggle();
    if (!notifier.isRunning()) await notifier.toggle();
    await perform("broker comes back", userId);
    await perform("webhook works", userId);
    await allTakenIn();
  }

  async function end(): Promise<void> {
    if (publisher.isRunning()) await publisher.toggle();
    if (notifier.isRunning()) await notifier.toggle();
    if (!brokerRuns) await broker.restart();
  }
  return { ids, perform, recover, end };
}

async function pendingAnHourLater(): Promise<number> {
  scene.advance(HOUR);
  return (await scene.list()).filter(({ status }) => status === "pending").length;
}

test("whatever breaks, each notification ends delivered at least once under its id, or parked", async () => {
  const { userId } = await scene.accounts.register("viewer");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom<Step>(...STEPS), { minLength: 8, maxLength: 20 }),
      async (steps) => {
        await scene.clear();
        const service = newService();
        try {
          for (const step of steps) await service.perform(step, userId);
          await service.recover(userId);
          await expect.poll(pendingAnHourLater, POLL).toBe(0);
          const states = new Map((await scene.list()).map(({ id, status }) => [id, status]));
          const taken = new Set(scene.webhook.taken.map(({ id }) => id));
          for (const id of service.ids) {
            const delivered = states.get(id) === "delivered" && taken.has(id);
            expect(delivered || states.get(id) === "parked").toBe(true);
          }
        } finally {
          await service.end();
        }
      },
    ),
    { numRuns: runs(12), endOnFailure: true },
  );
});
