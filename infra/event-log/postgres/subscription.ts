import { createBackoff, sleep } from "#infra/postgres/backoff.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import type { Log } from "#infra/postgres/log.ts";
import type { Reads } from "#infra/postgres/prepared-reads.ts";
import type { Batch, SubscribeOptions } from "../event-log.ts";
import { readBatch } from "./read-batch.ts";
import type { WakeUp } from "./wake-up.ts";

export type SubscriptionDependencies = {
  readonly reads: Pick<Reads, "any">;
  readonly wakeUp: WakeUp;
  readonly log: Log;
};

/** Polling is only the fallback of the wake-up, and what follows a transaction that holds others back. */
const POLL = { firstMs: 50, maxMs: 1_000 };

/** The batches after a position, for ever; faults of the database are waited out. */
export async function* subscription(
  { reads, wakeUp, log }: SubscriptionDependencies,
  { after, types, signal }: SubscribeOptions,
): AsyncGenerator<Batch, void, void> {
  let position = after;
  let idlePolls = 0;
  const backoff = createBackoff();
  while (!signal.aborted) {
    const version = wakeUp.version();
    let batch: Batch | null;
    try {
      batch = await readBatch(reads, position, types);
      backoff.reset();
    } catch (error) {
      if (signal.aborted) return;
      if (!isTransient(error)) throw error;
      log.warn({ err: error }, "subscription cannot read the event log");
      await sleep(backoff.next(), signal);
      continue;
    }
    if (batch !== null) {
      if (signal.aborted) return;
      position = batch.position;
      idlePolls = 0;
      yield batch;
      continue;
    }
    await wakeUp.wait(version, Math.min(POLL.firstMs * 2 ** idlePolls, POLL.maxMs), signal);
    idlePolls = wakeUp.version() === version ? Math.min(idlePolls + 1, 10) : 0;
  }
}
