import { describe, expect, test } from "vitest";
import { createFairQueue } from "#infra/kernel/fair-queue.ts";
import type { QueueLimits } from "#infra/kernel/queue-counts.ts";
import { ANSWER_LIMITS, THREAD_LIMITS } from "#services/gateway/capacity/queue-limits.ts";

/** They last a moment each, and there is one at a time. */
const BY_ONE = ["pages", "analyses", "plots"];

const queues: readonly (readonly [string, QueueLimits])[] = [
  ...Object.entries(ANSWER_LIMITS),
  ...Object.entries(THREAD_LIMITS),
];

describe.each(queues.filter(([name]) => !BY_ONE.includes(name)))("the queue of %s", (_, limits) => {
  test("leaves a place to the next caller at one's address, and to the next network, whatever one caller asks", () => {
    const queue = createFairQueue(limits);
    const enter = (caller: string, network: string) =>
      queue.enter({ caller, network, isGuest: false });
    const most = Math.min(limits.waitingOfOne, 500);
    for (let i = 0; i < most; i += 1) enter("user a", "network");
    expect(enter("user b", "network").isWaiting()).toBe(false);
    expect(enter("user c", "elsewhere").isWaiting()).toBe(false);
  });

  test("takes guests of fourteen networks that ask for all they may, a further one, and an editor", () => {
    const queue = createFairQueue(limits);
    const enter = (network: string, isGuest = true) =>
      queue.enter({ caller: network, network, isGuest });
    for (let network = 0; network < 14; network += 1) {
      for (let i = 0; i < 8; i += 1) enter(`${network}`);
    }
    enter("another guest");
    expect(enter("an editor", false)).toBeDefined();
  });
});
