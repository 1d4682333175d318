import type { Message } from "kafkajs";
import { createBackoff, sleep } from "#infra/kernel/backoff.ts";

/** A message; `bytes` is its approximate uncompressed size in the topic. */
export type SizedMessage = Message & { readonly bytes: number };

export type SizedSendsOptions = {
  /** Sends messages of one partition: all of them arrive, or a refusal is thrown and none does. */
  readonly send: (messages: readonly SizedMessage[]) => Promise<void>;
  readonly partitionOf: (message: Message) => number;
  /** Called when a message alone is refused for its size, before each wait. */
  readonly onRefused: (bytes: number) => Promise<void>;
  readonly signal: AbortSignal;
  readonly wait?: typeof sleep;
};

/** An operator has to raise the topic's limit: there is no hurry. */
const WAITS = { baseMs: 1_000, capMs: 60_000 };

/**
 * Sends messages to a topic whose limit is not known: what is refused for its size is sent in
 * smaller batches, and a message that is refused alone is tried again after ever longer waits. What
 * has arrived is not sent again.
 * @returns sends messages; those of one partition stay in order
 */
export function createSizedSends(options: SizedSendsOptions) {
  const { send, partitionOf, onRefused, signal, wait = sleep } = options;
  let limit = Number.POSITIVE_INFINITY;

  /** Sends a partition's messages, and removes what has arrived. @returns bytes that were refused */
  async function sendAll(waiting: SizedMessage[]): Promise<number> {
    while (waiting.length > 0) {
      const batch = batchOf(waiting, limit);
      const bytes = batch.reduce((sum, message) => sum + message.bytes, 0);
      try {
        await send(batch);
        waiting.splice(0, batch.length);
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        if (batch.length === 1) return bytes;
        limit = bytes / 2;
      }
    }
    return 0;
  }

  return async (messages: readonly SizedMessage[]): Promise<void> => {
    const backoff = createBackoff(WAITS);
    let partitions = [...Map.groupBy(messages, partitionOf).values()];
    while (partitions.length > 0) {
      let refused = 0;
      for (const waiting of partitions) refused = (await sendAll(waiting)) || refused;
      partitions = partitions.filter((waiting) => waiting.length > 0);
      if (partitions.length === 0) return;
      await onRefused(refused);
      await wait(backoff.next(), signal);
      signal.throwIfAborted();
    }
  };
}

/** The first messages of at most `limit` bytes, at least one. */
function batchOf(messages: readonly SizedMessage[], limit: number): SizedMessage[] {
  let bytes = 0;
  const end = messages.findIndex((message) => {
    bytes += message.bytes;
    return bytes > limit;
  });
  return messages.slice(0, end < 0 ? messages.length : Math.max(1, end));
}

const TOO_LARGE = new Set(["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"]);

/** Whether a broker has refused messages for their size; the client wraps its answer. */
function isTooLarge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("type" in error && TOO_LARGE.has(String(error.type))) || isTooLarge(error.cause);
}
