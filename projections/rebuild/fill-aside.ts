import type { Pool } from "pg";
import type { Batch, EventLog, Position, RecordedEvent } from "#infra/event-log/event-log.ts";
import { START } from "#infra/event-log/event-log.ts";
import { applyBatch } from "../apply-batch.ts";
import { batchesOf, partsOf } from "../batches.ts";
import type { Projection } from "../projection.ts";
import { readAhead } from "./read-ahead.ts";

export type FillDeps = {
  readonly log: Pick<EventLog, "subscribe">;
  /** Not the pool of the live projection. */
  readonly pool: Pool;
  readonly signal: AbortSignal;
  /** Told of the events of every batch, before they are applied. */
  readonly observe?: (events: readonly RecordedEvent[]) => void;
};

/** Tables that are filled from the start of the log, by the very code that keeps the live ones. */
export type Filling = {
  readonly position: () => Position;
  /** Applies the log up to `target` and nothing after it. */
  readonly upTo: (target: Position) => Promise<void>;
};

export function fillAside(
  { log, pool, signal, observe }: FillDeps,
  projection: Projection,
  schema: string,
): Filling {
  let position: Position = START;

  async function apply(batch: Batch): Promise<void> {
    observe?.(batch.events);
    for (const part of partsOf(batch)) {
      await applyBatch(pool, projection, position, part, schema);
      position = part.position;
    }
  }

  async function upTo(target: Position): Promise<void> {
    if (position >= target) return;
    const reached = new AbortController();
    const ending = AbortSignal.any([signal, reached.signal]);
    for await (const batch of readAhead(batchesOf(log, projection, position, ending))) {
      await apply(cutAt(batch, target));
      if (position < target) continue;
      // Before the loop is left: what is read ahead would else be waited for.
      reached.abort();
      break;
    }
    signal.throwIfAborted();
    if (position < target) throw new Error("the event log was closed");
  }

  return { position: () => position, upTo };
}

function cutAt(batch: Batch, target: Position): Batch {
  if (batch.position <= target) return batch;
  return { events: batch.events.filter((event) => event.position <= target), position: target };
}
