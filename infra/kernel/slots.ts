import { NOBODY } from "./asker.ts";
import { createFairQueue } from "./fair-queue.ts";

/** Limits concurrent requests; the others wait in order. */
export type RequestSlots = {
  /** @throws the signal's reason, when it aborts before the request's turn */
  readonly run: <T>(request: () => Promise<T>, signal: AbortSignal) => Promise<T>;
};

export function createRequestSlots(count: number): RequestSlots {
  const waiting = Number.POSITIVE_INFINITY;
  const limits = { running: count, waiting, waitingOfOne: waiting, isOfOneCaller: true };
  const queue = createFairQueue(limits);
  return { run: (request, signal) => queue.run({ ...NOBODY, signal }, request) };
}
