import { createBackoff, sleep } from "#infra/kernel/backoff.ts";
import type { Log } from "#infra/kernel/log.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import type { Statements } from "#infra/postgres/statements.ts";
import type { WakeUp } from "../../kernel/wake-up.ts";
import type { Batch, EventLog, SubscribeOptions } from "../event-log.ts";
import { requireSamePlace } from "../same-log.ts";
import { type Reading, readBatch } from "./read-batch.ts";

export type SubscriptionDependencies = {
  readonly reads: Pick<Statements, "any">;
  readonly wakeUp: WakeUp;
  readonly log: Log;
  readonly eventAt: EventLog["eventAt"];
};

const MAX_POLL_MS = 1_000;
/** Polling is the fallback for lost wake-ups. */
const POLL_MS = 50;
/** Shorter, because the end of a transaction that holds events back wakes no subscriber. */
const HELD_BACK_POLL_MS = 5;

/** The batches after a position, without end; waits while the database is faulty. */
export async function* subscription(
  { reads, wakeUp, log, eventAt }: SubscriptionDependencies,
  { after, types, signal }: SubscribeOptions,
): AsyncGenerator<Batch, void, void> {
  let { position } = after;
  let isKnown = false;
  let idlePolls = 0;
  const backoff = createBackoff();

  while (!signal.aborted) {
    const version = wakeUp.version();
    let reading: Reading;
    try {
      if (!isKnown) await requireSamePlace({ eventAt }, after);
      isKnown = true;
      reading = await readBatch(reads, position, types);
      backoff.reset();
    } catch (error) {
      if (signal.aborted) return;
      if (!isTransient(error)) throw error;
      log.warn({ err: error }, "subscription cannot read the event log");
      await sleep(backoff.next(), signal);
      continue;
    }
    const { batch, more, heldBack } = reading;
    if (batch !== null) {
      if (signal.aborted) return;
      position = batch.position;
      idlePolls = 0;
      yield batch;
    }
    if (more) continue;
    const ms = (heldBack ? HELD_BACK_POLL_MS : POLL_MS) * 2 ** idlePolls;
    await wakeUp.wait(version, Math.min(ms, MAX_POLL_MS), signal);
    idlePolls = wakeUp.version() === version ? Math.min(idlePolls + 1, 10) : 0;
  }
}
