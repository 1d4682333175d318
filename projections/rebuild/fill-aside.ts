import type { Pool } from "pg";
import {
  type Batch,
  BEGINNING,
  type Checkpoint,
  type EventLog,
  type Position,
  type RecordedEvent,
} from "#infra/event-log/event-log.ts";
import { readAhead } from "#infra/kernel/async-iterables.ts";
import { applyBatch, type Part } from "../engine/apply-batch.ts";
import { batchesOf, partsOf } from "../engine/batches.ts";
import type { Projection } from "../engine/projection.ts";

export type FillDeps = {
  readonly log: Pick<EventLog, "subscribe" | "eventAt">;
  /** A pool other than that of the live projection. */
  readonly pool: Pool;
  readonly signal: AbortSignal;
  /** Called with the events of every batch before they are applied. */
  readonly observe?: (events: readonly RecordedEvent[]) => void;
};

/** Tables being filled from the start of the log, by the same code as the live ones. */
export type Filling = {
  readonly reached: () => Checkpoint;
  /** Applies the log up to `target` and no further. */
  readonly upTo: (target: Position) => Promise<void>;
};

export function fillAside(
  { log, pool, signal, observe }: FillDeps,
  projection: Projection,
  schema: string,
): Filling {
  let reached: Checkpoint = BEGINNING;

  async function apply(part: Part): Promise<void> {
    await applyBatch(pool, projection, reached.position, part, { schema });
    reached = { position: part.position, eventId: part.eventId };
  }

  /**
   * The part of the batch up to the target. The event at the target may be of another type and not
   * in the batch.
   */
  async function cutAt(batch: Batch, target: Position): Promise<Part> {
    if (batch.position <= target) return batch;
    const events = batch.events.filter(({ position }) => position <= target);
    return { events, position: target, eventId: await log.eventAt(target) };
  }

  async function upTo(target: Position): Promise<void> {
    if (reached.position >= target) return;
    const ending = new AbortController();
    const either = AbortSignal.any([signal, ending.signal]);
    for await (const batch of readAhead(batchesOf(log, projection, reached, either))) {
      try {
        const wanted = await cutAt(batch, target);
        observe?.(wanted.events);
        for (const part of partsOf(wanted)) await apply(part);
      } catch (error) {
        ending.abort();
        throw error;
      }
      if (reached.position < target) continue;
      // Before leaving the loop, which would otherwise wait for events being read ahead.
      ending.abort();
      break;
    }
    signal.throwIfAborted();
    if (reached.position < target) throw new Error("the event log was closed");
  }

  return { reached: () => reached, upTo };
}
