import type { Pool } from "pg";
import type { Logger } from "pino";
import { requireKnown, UnknownEvent } from "#infra/event-log/domain-events.ts";
import type { Batch, EventLog, Position } from "#infra/event-log/event-log.ts";
import type { AppliedBatch } from "#infra/metrics/batch-metrics.ts";
import { backoffMs, sleep } from "#infra/postgres/backoff.ts";
import { applyBatch } from "./apply-batch.ts";
import { readCheckpoint } from "./checkpoint.ts";
import type { Projection } from "./projection.ts";

const RETRY_MS = 50;
const MAX_RETRY_MS = 5_000;

export type ProjectionDeps = {
  readonly log: EventLog;
  readonly pool: Pool;
  readonly logger: Logger;
  /** Told of each batch that was applied. */
  readonly observe?: (batch: AppliedBatch) => void;
};

/**
 * Keeps a read model up to date with the log until `signal` aborts. Transient faults are retried
 * from the checkpoint; an event of an unknown type or version ends it with UnknownEvent, because
 * skipping it would make the read model wrong in silence.
 */
export async function runProjection(
  deps: ProjectionDeps,
  projection: Projection,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      await follow(deps, projection, signal, () => {
        failures = 0;
      });
    } catch (error) {
      if (error instanceof UnknownEvent) throw error;
      if (signal.aborted) return;
      deps.logger.warn({ err: error, projection: projection.name }, "projection interrupted");
      await sleep(backoffMs(failures, RETRY_MS, MAX_RETRY_MS), signal);
      failures += 1;
    }
  }
}

async function follow(
  { log, pool, logger, observe }: ProjectionDeps,
  projection: Projection,
  signal: AbortSignal,
  progressed: () => void,
): Promise<void> {
  let after = await readCheckpoint(pool, projection.name);
  for await (const batch of batchesOf(log, projection, after, signal)) {
    for (const part of partsOf(batch)) {
      const started = performance.now();
      const parked = await applyBatch(pool, projection, after, part);
      const seconds = (performance.now() - started) / 1_000;
      observe?.({ projection: projection.name, events: part.events.length, seconds });
      for (const { event, error } of parked) {
        const { stream, revision, type } = event;
        const { name } = projection;
        logger.error({ err: error, projection: name, stream, revision, type }, "event parked");
      }
      after = part.position;
      progressed();
    }
  }
}

/** The events that the projection applies. @throws UnknownEvent where it guards the log */
async function* batchesOf(
  log: EventLog,
  { types, guardsLog }: Projection,
  after: Position,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  if (!guardsLog) {
    yield* log.subscribe({ after, types, signal });
    return;
  }
  for await (const { events, position } of log.subscribe({ after, signal })) {
    events.forEach(requireKnown);
    yield { events: events.filter(({ type }) => types.includes(type)), position };
  }
}

/**
 * Binary events that are applied in one transaction: about 20,000 seismic events. A longer
 * transaction would hold back every other reader of the log, which waits for the oldest one.
 */
const MAX_CHUNKS = 10;

function* partsOf({ events, position }: Batch): Generator<Batch> {
  let start = 0;
  let chunks = 0;
  for (const [i, event] of events.entries()) {
    if (event.data instanceof Uint8Array) chunks += 1;
    if (chunks < MAX_CHUNKS || i === events.length - 1) continue;
    yield { events: events.slice(start, i + 1), position: event.position };
    start = i + 1;
    chunks = 0;
  }
  yield { events: events.slice(start), position };
}
