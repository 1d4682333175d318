import fc from "fast-check";
import { expect, test } from "vitest";
import { type Position, unverified } from "#infra/log/event-log.ts";
import { createOutbox, type FeedMessage } from "#services/publisher/analytics.ts";

const KIB = 1024;
/** What a batch holds before its last message. */
const BATCH_BYTES = 512 * KIB;

const sizes = fc.array(fc.integer({ min: 1, max: 200 * KIB }), { maxLength: 60 });

function messageOf(bytes: number, index: number): FeedMessage {
  return { key: "k", value: String(index), bytes };
}

test("the outbox sends every message once, in order, in batches of bounded size", async () => {
  await fc.assert(
    fc.asyncProperty(sizes, async (given) => {
      const batches: FeedMessage[][] = [];
      const outbox = createOutbox({
        send: async (messages) => void batches.push([...messages]),
        store: async () => {},
      });
      for (const [i, bytes] of given.entries()) await outbox.add(messageOf(bytes, i));
      await outbox.flush();
      expect(batches.flat().map(({ value }) => Number(value))).toEqual([...given.keys()]);
      for (const batch of batches) {
        expect(batch.length).toBeGreaterThan(0);
        const bytes = batch.slice(0, -1).reduce((sum, message) => sum + message.bytes, 0);
        expect(bytes).toBeLessThan(BATCH_BYTES);
      }
    }),
  );
});

test("the outbox stores a checkpoint only when all before it are acknowledged, wherever sending fails", async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 0, max: 12 }), async (given, failing) => {
      let acknowledged = 0;
      let batches = 0;
      let stored = 0;
      const outbox = createOutbox({
        send: async (messages) => {
          if (batches === failing) throw new Error("the broker is away");
          batches += 1;
          acknowledged += messages.length;
        },
        store: async ({ position }) => {
          expect(Number(position)).toBeLessThanOrEqual(acknowledged);
          stored = Number(position);
        },
      });
      const publish = async () => {
        for (const [i, bytes] of given.entries()) {
          await outbox.add(messageOf(bytes, i));
          outbox.mark({ ...unverified(String(i + 1) as Position), part: null });
        }
        await outbox.flush();
      };
      await publish().catch((error: Error) => expect(error.message).toContain("away"));
      if (batches !== failing) expect(stored).toBe(given.length);
    }),
  );
});
