import { once } from "node:events";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Batch, Position } from "#infra/event-log/event-log.ts";
import { sparingBatches } from "#infra/event-log/sparing-batches.ts";
import { recordedEvent } from "./recorded-event.ts";

const STAYS = new AbortController().signal;
const EVENT = recordedEvent({
  type: "UserDeactivated",
  data: { userId: "user_1" },
  metadata: { at: "2026-05-07T08:24:12.100Z", actor: "system", commandId: "c", schemaVersion: 1 },
});

function batch(number: number, events: number): Batch {
  const position = String(number).padStart(8, "0") as Position;
  const given = Array.from({ length: events }, () => ({ ...EVENT, position }));
  return { events: given, position, eventId: EVENT.id };
}

async function all(batches: AsyncIterable<Batch>): Promise<Batch[]> {
  const seen: Batch[] = [];
  for await (const one of batches) seen.push(one);
  return seen;
}

async function* given(batches: readonly Batch[]): AsyncGenerator<Batch> {
  yield* batches;
}

/** Gives the batches, and then nothing until it is left. */
function endless(batches: readonly Batch[]) {
  const left = Promise.withResolvers<void>();
  async function* subscribe(signal: AbortSignal): AsyncGenerator<Batch> {
    try {
      yield* batches;
      if (!signal.aborted) await once(signal, "abort");
    } finally {
      left.resolve();
    }
  }
  return { subscribe, left: left.promise };
}

it("gives every batch with events as it is, and none that is empty before it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 2 })), async (sizes) => {
      const batches = sizes.map((size, number) => batch(number, size));
      const seen = await all(sparingBatches(() => given(batches), STAYS));
      expect(seen).toEqual(batches.filter(({ events }) => events.length > 0));
    }),
  );
});

it("gives the last of several empty batches when nothing follows it", async () => {
  const { subscribe, left } = endless([batch(1, 1), batch(2, 0), batch(3, 0)]);
  const seen: Position[] = [];
  for await (const { position } of sparingBatches(subscribe, STAYS)) {
    seen.push(position);
    if (seen.length === 2) break;
  }
  expect(seen).toEqual([batch(1, 1).position, batch(3, 0).position]);
  await left;
});

it("ends when its signal aborts, also while an empty batch waits", async () => {
  const ending = new AbortController();
  const { subscribe, left } = endless([batch(1, 1), batch(2, 0)]);
  const seen: Position[] = [];
  for await (const { position } of sparingBatches(subscribe, ending.signal)) {
    seen.push(position);
    ending.abort();
  }
  expect(seen).toEqual([batch(1, 1).position]);
  await left;
});

it("passes on what the subscription fails with", async () => {
  async function* failing(): AsyncGenerator<Batch> {
    yield batch(1, 0);
    throw new Error("an event of no known type");
  }
  const reading = all(sparingBatches(failing, STAYS));
  await expect(reading).rejects.toThrow("no known type");
});

it("ends the subscription when the reader fails", async () => {
  const { subscribe, left } = endless([batch(1, 1)]);
  const reading = (async () => {
    for await (const _ of sparingBatches(subscribe, STAYS)) throw new Error("the checkpoint moved");
  })();
  await expect(reading).rejects.toThrow("the checkpoint moved");
  await left;
});
