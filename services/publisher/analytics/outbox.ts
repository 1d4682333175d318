import type { FeedCheckpoint } from "#infra/brokers/relay.ts";
import type { FeedMessage } from "./feed-message.ts";

/** Messages to be sent in batches of bounded size, each followed by its checkpoint. */
export type Outbox = {
  add(message: FeedMessage): Promise<void>;
  /** Sets the feed's checkpoint for when everything added so far is acknowledged. */
  mark(checkpoint: FeedCheckpoint): void;
  flush(): Promise<void>;
};

export type OutboxDeps = {
  /** Resolves when the broker has acknowledged all messages. */
  readonly send: (messages: readonly FeedMessage[]) => Promise<void>;
  readonly store: (checkpoint: FeedCheckpoint) => Promise<void>;
};

/** Half of the brokers' default limit of a request; a message is far below the other half. */
const BATCH_BYTES = 512 * 1024;

export function createOutbox({ send, store }: OutboxDeps): Outbox {
  let pending: FeedMessage[] = [];
  let bytes = 0;
  let marked: FeedCheckpoint | null = null;

  async function flush(): Promise<void> {
    if (pending.length > 0) {
      await send(pending);
      pending = [];
      bytes = 0;
    }
    if (marked === null) return;
    await store(marked);
    marked = null;
  }

  return {
    async add(message) {
      pending.push(message);
      bytes += message.bytes;
      if (bytes >= BATCH_BYTES) await flush();
    },
    mark(checkpoint) {
      marked = checkpoint;
    },
    flush,
  };
}
