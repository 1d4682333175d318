import type { FeedCheckpoint } from "#infra/analytics/feed-checkpoint.ts";
import type { FeedMessage } from "./feed-message.ts";

/** Messages on their way: sent in batches of bounded size, the checkpoint behind them. */
export type Outbox = {
  add(message: FeedMessage): Promise<void>;
  /** Where the feed stands once everything added so far is acknowledged. */
  mark(checkpoint: FeedCheckpoint): void;
  flush(): Promise<void>;
};

export type OutboxDeps = {
  /** Resolves when the broker has acknowledged all of them. */
  readonly send: (messages: readonly FeedMessage[]) => Promise<void>;
  readonly store: (checkpoint: FeedCheckpoint) => Promise<void>;
};

/** Half of what brokers take in one request by default; a message is far below the other half. */
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
