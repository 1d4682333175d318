import fc from "fast-check";
import type { Message } from "kafkajs";
import { expect, test } from "vitest";
import { createSizedSends, type SizedMessage } from "#infra/kafka/sized-sends.ts";

const PARTITIONS = 3;
const partitionOf = ({ key }: Message) => Number(key);

/** Sends to a topic that refuses batches of more bytes, and takes all after so many waits. */
function sendsTo(limit: number, waitsUntilRaised: number) {
  const sent: SizedMessage[] = [];
  const refused: number[] = [];
  const waits: { readonly ms: number; readonly sent: number }[] = [];
  const ending = new AbortController();
  const send = createSizedSends({
    send: async (batch) => {
      const bytes = batch.reduce((sum, message) => sum + message.bytes, 0);
      const isTooLarge = bytes > limit && waits.length < waitsUntilRaised;
      const reason = Object.assign(new Error("too large"), { type: "MESSAGE_TOO_LARGE" });
      if (isTooLarge) throw new Error("not sent", { cause: reason });
      sent.push(...batch);
    },
    partitionOf,
    onRefused: async (bytes) => void refused.push(bytes),
    wait: async (ms) => void waits.push({ ms, sent: sent.length }),
    signal: ending.signal,
  });
  return { send, sent, refused, waits, ending };
}

const byPartition = (messages: readonly SizedMessage[]) =>
  Array.from({ length: PARTITIONS }, (_, i) => messages.filter((one) => partitionOf(one) === i));

const message = fc.record({
  key: fc.integer({ min: 0, max: PARTITIONS - 1 }).map(String),
  value: fc.string(),
  bytes: fc.integer({ min: 1, max: 20 }),
});

test("messages arrive once and in order of their partition, only those behind a larger one than the limit wait", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 30 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 5 }),
      async (messages, limit, waitsUntilRaised) => {
        const { send, sent, refused, waits } = sendsTo(limit, waitsUntilRaised);
        await send(messages);
        expect(byPartition(sent)).toEqual(byPartition(messages));
        const fitting = byPartition(messages).map((own) => {
          const first = own.findIndex(({ bytes }) => bytes > limit);
          return first < 0 ? own.length : first;
        });
        const isRefused = messages.some(({ bytes }) => bytes > limit);
        expect(waits.map((each) => each.sent)).toEqual(
          Array(isRefused ? waitsUntilRaised : 0).fill(fitting.reduce((sum, n) => sum + n, 0)),
        );
        expect(refused).toHaveLength(waits.length);
        for (const bytes of refused) expect(bytes).toBeGreaterThan(limit);
      },
    ),
  );
});

test("a message that is refused is tried again after waits that grow to a minute", async () => {
  const { send, waits } = sendsTo(1, 9);
  await send([{ key: "0", value: "large", bytes: 2 }]);
  const longest = [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000);
  expect(waits).toHaveLength(longest.length);
  for (const [i, most] of longest.entries()) {
    expect(waits[i]?.ms).toBeGreaterThanOrEqual(most / 2);
    expect(waits[i]?.ms).toBeLessThanOrEqual(most);
  }
});

test("a message that is refused is not tried again after an end", async () => {
  const { send, sent, ending } = sendsTo(1, 9);
  ending.abort(new Error("the end"));
  await expect(send([{ key: "0", value: "large", bytes: 2 }])).rejects.toThrow("the end");
  expect(sent).toEqual([]);
});
