import { createFairQueue, NOBODY } from "#infra/kernel/fair-queue.ts";

/** Pieces of many messages that are made and written between two looks at the sockets, about half a millisecond. */
const AT_ONCE = 4;

/**
 * Gives streams with much to catch up their turns, first come first served, so that small answers and news
 * do not wait for all of them.
 */
export function createFeedTurns(): () => Promise<void> {
  const waiting = Number.POSITIVE_INFINITY;
  const limits = { running: AT_ONCE, waiting, waitingOfOne: waiting, isOfOneCaller: true };
  const queue = createFairQueue(limits);
  return async () => {
    const { ready, leave } = queue.enter(NOBODY);
    await ready;
    setImmediate(leave);
  };
}
