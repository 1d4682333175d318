import type { Pool } from "pg";
import type { Logger } from "pino";
import { UnknownEvent } from "#infra/event-log/errors.ts";
import type { EventLog, Position } from "#infra/event-log/event-log.ts";
import { supervise } from "#infra/lifecycle/supervise.ts";
import type { MeasuredBatch } from "#infra/metrics/batch-metrics.ts";
import { isCancelled } from "#infra/postgres/failures.ts";
import type { Lease } from "#infra/postgres/lease.ts";
import { applyBatch } from "./apply-batch.ts";
import { batchesOf, partsOf } from "./batches.ts";
import { readCheckpoint } from "./checkpoint.ts";
import type { Projection } from "./projection.ts";

/** A batch of events that was applied, and where the projection stands now. */
export type AppliedBatch = MeasuredBatch & { readonly position: Position };

export type ProjectionDeps = {
  readonly log: EventLog;
  readonly pool: Pool;
  /** The lease under which the read model is written; absent when only this process writes it. */
  readonly lease?: Lease;
  readonly logger: Logger;
  /** Called after each applied batch. */
  readonly observe?: (batch: AppliedBatch) => void;
};

/** So often a statement may take longer than it is allowed; then its event is parked. */
const SLOW_TRIES = 3;

/**
 * Keeps a read model up to date with the log until `signal` aborts. Transient faults are retried
 * from the checkpoint, statements that are ended by their time-out a few times. An event of an unknown type or version ends it with UnknownEvent, because
 * skipping the event would silently corrupt the read model.
 */
export function runProjection(
  deps: ProjectionDeps,
  projection: Projection,
  signal: AbortSignal,
): Promise<void> {
  const { logger } = deps;
  let slow = 0;
  const work = async (progressed: () => void): Promise<void> => {
    const applied = (): void => {
      slow = 0;
      progressed();
    };
    try {
      await follow(deps, projection, signal, { applied, parksSlow: () => slow >= SLOW_TRIES });
    } catch (error) {
      if (isCancelled(error)) {
        slow += 1;
        const { name } = projection;
        logger.error(
          { projection: name, tries: slow },
          "a statement took too long: it stands still",
        );
      }
      throw error;
    }
  };
  return supervise(work, {
    signal,
    logger,
    name: `projection ${projection.name}`,
    isFatal: (error) => error instanceof UnknownEvent,
    backoff: { baseMs: 50, capMs: 5_000 },
  });
}

async function follow(
  { log, pool, lease, logger, observe }: ProjectionDeps,
  projection: Projection,
  signal: AbortSignal,
  { applied, parksSlow }: { readonly applied: () => void; readonly parksSlow: () => boolean },
): Promise<void> {
  let after = await readCheckpoint(pool, projection.name);
  for await (const batch of batchesOf(log, projection, after, signal)) {
    for (const part of partsOf(batch)) {
      const started = performance.now();
      const target = { ...(lease && { lease }), parksSlow: parksSlow() };
      const parked = await applyBatch(pool, projection, after.position, part, target);
      const seconds = (performance.now() - started) / 1_000;
      const { events, position, eventId } = part;
      observe?.({ projection: projection.name, events: events.length, seconds, position });
      for (const { event, error } of parked) {
        const { stream, revision, type } = event;
        const { name } = projection;
        logger.error({ err: error, projection: name, stream, revision, type }, "event parked");
      }
      after = { position, eventId };
      applied();
    }
  }
}
