import { setImmediate } from "node:timers/promises";
import { createBackoff, sleep } from "#infra/postgres/backoff.ts";
import type { Log } from "#infra/postgres/log.ts";
import type { Batch, Position, SubscribeOptions } from "../event-log.ts";
import { createBatchMaker } from "./batch-maker.ts";
import type { Connection } from "./connection.ts";
import type { FindHead } from "./find-head.ts";
import { openFeed } from "./open-feed.ts";

export type SubscriptionDependencies = {
  readonly connection: Connection;
  readonly findHead: FindHead;
  readonly log: Log;
  /** How long a subscription may be silent before it is looked whether it has missed something. */
  readonly silenceMs: number;
};

/** The subscription has sent nothing while the log went on. */
class SubscriptionSilent extends Error {
  override readonly name = "SubscriptionSilent";
}

/**
 * The batches after a position, for ever. A subscription of the client ends when anything breaks,
 * with an error or without, and some only fall silent: each is followed by another from the last
 * position that was handed out.
 */
export async function* subscription(
  deps: SubscriptionDependencies,
  { after, types, signal }: SubscribeOptions,
): AsyncGenerator<Batch, void, void> {
  let position = after;
  const backoff = createBackoff();
  while (!signal.aborted) {
    try {
      for await (const batch of batches(deps, {
        after: position,
        signal,
        ...(types && { types }),
      })) {
        position = batch.position;
        backoff.reset();
        yield batch;
      }
      if (!signal.aborted) deps.log.info({ position }, "subscription has ended, begun again");
    } catch (error) {
      if (!signal.aborted) {
        deps.log.warn({ err: error, position }, "subscription is interrupted, begun again");
      }
    }
    if (!signal.aborted) await sleep(backoff.next(), signal);
  }
}

/** The batches of one subscription of the client. */
async function* batches(
  { connection, findHead, silenceMs }: SubscriptionDependencies,
  { after, types, signal }: SubscribeOptions,
): AsyncGenerator<Batch, void, void> {
  const feed = openFeed(connection, after);
  const maker = createBatchMaker(after, types);
  let position = after;
  let missed: Position | null = null;
  try {
    while (!signal.aborted) {
      const state = await feed.wait(silenceMs, signal);
      if (signal.aborted || state === "end") return;
      if (state === "something") {
        // What has arrived with it follows one by one.
        await setImmediate();
        const batch = maker.next(feed.take());
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
