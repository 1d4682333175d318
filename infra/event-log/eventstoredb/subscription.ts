import { setImmediate } from "node:timers/promises";
import { createBackoff, sleep } from "#infra/kernel/backoff.ts";
import type { Log } from "#infra/kernel/log.ts";
import { LogMismatch } from "../errors.ts";
import type {
  Batch,
  Checkpoint,
  EventLog,
  Position,
  RecordedEvent,
  SubscribeOptions,
} from "../event-log.ts";
import { requireSamePlace } from "../same-log.ts";
import type { Connection } from "./connection.ts";
import type { FindHead } from "./find-head.ts";
import { openFeed } from "./open-feed.ts";

export type SubscriptionDependencies = {
  readonly connection: Connection;
  readonly findHead: FindHead;
  readonly eventAt: EventLog["eventAt"];
  readonly log: Log;
  /** Silence after which a check looks for missed events. */
  readonly silenceMs: number;
};

/** The subscription was silent although the log grew. */
class SubscriptionSilent extends Error {
  override readonly name = "SubscriptionSilent";
}

/**
 * The batches after a position, without end. A client subscription ends on any fault, with or
 * without an error, and some just fall silent; another one then continues after the last batch.
 */
export async function* subscription(
  deps: SubscriptionDependencies,
  { after, types, signal }: SubscribeOptions,
): AsyncGenerator<Batch, void, void> {
  let reached: Checkpoint = after;
  const backoff = createBackoff();
  while (!signal.aborted) {
    try {
      for await (const batch of batches(deps, {
        after: reached,
        signal,
        ...(types && { types }),
      })) {
        reached = { position: batch.position, eventId: batch.eventId };
        backoff.reset();
        yield batch;
      }
      if (!signal.aborted) deps.log.info(reached, "subscription has ended, begun again");
    } catch (error) {
      if (error instanceof LogMismatch) throw error;
      if (!signal.aborted) {
        deps.log.warn({ err: error, ...reached }, "subscription is interrupted, begun again");
      }
    }
    if (!signal.aborted) await sleep(backoff.next(), signal);
  }
}

async function* batches(
  { connection, findHead, eventAt, silenceMs }: SubscriptionDependencies,
  { after, types, signal }: SubscribeOptions,
): AsyncGenerator<Batch, void, void> {
  await requireSamePlace({ eventAt }, after);
  let { position } = after;
  const feed = openFeed(connection, position);
  const batchOf = createBatchMaker(position, types);
  let missed: Position | null = null;
  try {
    while (!signal.aborted) {
      const state = await feed.wait(silenceMs, signal);
      if (signal.aborted || state === "end") return;
      if (state === "something") {
        // Lets events that arrived at the same time join the batch: they are emitted one by one.
        await setImmediate();
        const batch = batchOf(feed.take());
        missed = null;
        if (batch === null) continue;
        position = batch.position;
        yield batch;
      } else if (missed === null) {
        const head = await findHead(silenceMs);
        if (head > position) missed = head;
      } else {
        throw new SubscriptionSilent(`nothing has come since ${position}, the log is at ${missed}`);
      }
    }
  } finally {
    feed.close();
  }
}

/** Makes batches of received events, filtered by type; null when none advances the subscriber. */
function createBatchMaker(after: Position, types: readonly string[] | undefined) {
  const wanted = types && new Set(types);
  let position = after;

  return (sent: readonly RecordedEvent[]): Batch | null => {
    // Skips events returned before: some servers send the event at the start position again.
    const fresh = sent.filter((event) => event.position > position);
    const last = fresh.at(-1);
    if (last === undefined) return null;
    position = last.position;
    const events = fresh.filter(({ type }) => !wanted || wanted.has(type));
    return { events, position, eventId: last.id };
  };
}
