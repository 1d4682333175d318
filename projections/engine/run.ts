import type { Pool } from "pg";
import type { Logger } from "pino";
import { sql } from "slonik";
import { supervise } from "#infra/kernel/waiting.ts";
import { requireKnown } from "#infra/log/domain-events.ts";
import {
  type Batch,
  type Checkpoint,
  type EventLog,
  type Position,
  type RecordedEvent,
  UnknownEvent,
} from "#infra/log/event-log.ts";
import type { Lease } from "#infra/postgres/coordination.ts";
import { isCancelled, isTransient } from "#infra/postgres/failures.ts";
import type { MeasuredBatch } from "#infra/process/metrics.ts";
import { inPieces, NotUndone, undoGivenUp } from "./left-rows.ts";
import { parkEvent, parkedSubjects } from "./parked.ts";
import {
  type CheckpointMove,
  CheckpointMoved,
  moveCheckpoint,
  readCheckpoint,
} from "./progress.ts";
import { inReadModel, LIVE_SCHEMA, type Projection, type Transaction } from "./projection.ts";

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

/** Events in log order, and the checkpoint after them. */
export type Part = Checkpoint & { readonly events: readonly RecordedEvent[] };

export type Target = {
  /** The schema of the tables; by default the live one. */
  readonly schema?: string;
  /** Once another process has taken the lease over, nothing is applied. */
  readonly lease?: Pick<Lease, "name" | "number">;
  /** Whether an event is parked whose statement takes longer than it may. */
  readonly parksSlow?: boolean;
};

export type ParkedEvent = { readonly event: RecordedEvent; readonly error: unknown };

/**
 * Applies a part of the log and moves the checkpoint from `from` to its end, in one transaction. An
 * event that cannot be applied is parked, and so are all later events of its subject; other events
 * are applied. What was given up, and must be undone before an event, is undone piece by piece then,
 * with the events before it applied.
 * @param target the schema to write to, and the lease that must be held
 * @returns the events parked because of their own faults
 * @throws CheckpointMoved, UnknownEvent and transient database errors; the part is then not applied
 */
export async function applyBatch(
  pool: Pool,
  projection: Projection,
  from: Position,
  part: Part,
  target: Target = {},
): Promise<ParkedEvent[]> {
  try {
    return await applyPart(pool, projection, from, part, target);
  } catch (error) {
    if (!(error instanceof NotUndone)) throw error;
    const { events } = part;
    const at = events.indexOf(error.event);
    const before = at > 0 ? events[at - 1] : undefined;
    const parked: ParkedEvent[] = [];
    if (before !== undefined) {
      const { position, id: eventId } = before;
      const earlier = { events: events.slice(0, at), position, eventId };
      parked.push(...(await applyBatch(pool, projection, from, earlier, target)));
    }
    const within = inPieces(pool, target.schema ?? LIVE_SCHEMA);
    if (!(await undoGivenUp(within, projection.tables, { key: error.key }))) throw error;
    const rest = { ...part, events: events.slice(at) };
    const reached = before?.position ?? from;
    return [...parked, ...(await applyBatch(pool, projection, reached, rest, target))];
  }
}

async function applyPart(
  pool: Pool,
  projection: Projection,
  from: Position,
  part: Part,
  { schema = LIVE_SCHEMA, lease, parksSlow = false }: Target,
): Promise<ParkedEvent[]> {
  const { events } = part;
  const isAtFault = (error: unknown) => !mustStop(error) || (parksSlow && isCancelled(error));
  const move = {
    projection: projection.name,
    from,
    to: part,
    events: events.length,
    ...(lease && { lease }),
  };
  try {
    await inReadModel(pool, schema, async (transaction) => {
      const hasParked = await moveCheckpoint(transaction, move);
      const ready = hasParked ? await withoutParked(transaction, projection, events) : events;
      await projection.apply(transaction, ready);
      if (schema === LIVE_SCHEMA) await projection.refreshStatistics?.(transaction, ready);
    });
    return [];
  } catch (error) {
    if (!isAtFault(error)) throw error;
    return inReadModel(pool, schema, (transaction) =>
      applyOneByOne(transaction, projection, move, { events, isAtFault }),
    );
  }
}

/** Errors that are not the event's fault: the event is retried, or the worker stops. */
function mustStop(error: unknown): boolean {
  return (
    [CheckpointMoved, UnknownEvent, NotUndone].some((type) => error instanceof type) ||
    isTransient(error)
  );
}

/** Parks events of subjects that have parked events already, and returns the others. */
async function withoutParked(
  transaction: Transaction,
  projection: Projection,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  if (events.length === 0) return events;
  const subjects = [...new Set(events.map(projection.subject))];
  const waiting = await parkedSubjects(transaction, projection.name, subjects);
  if (waiting.size === 0) return events;
  for (const event of events) {
    if (waiting.has(projection.subject(event))) {
      await parkEvent(transaction, projection, event, "waits behind an earlier parked event");
    }
  }
  return events.filter((event) => !waiting.has(projection.subject(event)));
}

async function applyOneByOne(
  transaction: Transaction,
  projection: Projection,
  move: CheckpointMove,
  { events, isAtFault }: Pick<Part, "events"> & { isAtFault: (error: unknown) => boolean },
): Promise<ParkedEvent[]> {
  await moveCheckpoint(transaction, move);
  const parked: ParkedEvent[] = [];
  for (const event of events) {
    const [ready] = await withoutParked(transaction, projection, [event]);
    if (!ready) continue;
    await transaction.run(sql.unsafe`savepoint one_event`);
    try {
      await projection.apply(transaction, [ready]);
      await transaction.run(sql.unsafe`release savepoint one_event`);
    } catch (error) {
      if (!isAtFault(error)) throw error;
      await transaction.run(sql.unsafe`rollback to savepoint one_event`);
      await parkEvent(transaction, projection, ready, String(error));
      parked.push({ event: ready, error });
    }
  }
  return parked;
}

/** The events that the projection applies. @throws UnknownEvent if the projection guards the log */
export async function* batchesOf(
  log: Pick<EventLog, "subscribe">,
  { types, guardsLog }: Projection,
  after: Checkpoint,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  if (!guardsLog) {
    yield* log.subscribe({ after, types, signal });
    return;
  }
  for await (const { events, ...reached } of log.subscribe({ after, signal })) {
    events.forEach(requireKnown);
    yield { events: events.filter(({ type }) => types.includes(type)), ...reached };
  }
}

/**
 * Binary events applied in one transaction: about 20,000 seismic events. A longer transaction would
 * delay every other reader of the log, since readers wait for the oldest transaction.
 */
const MAX_CHUNKS = 10;

/** Splits a part of the log into smaller ones, each for a transaction of its own. */
export function* partsOf({ events, ...reached }: Part): Generator<Part> {
  let start = 0;
  let chunks = 0;
  for (const [i, event] of events.entries()) {
    if (event.data instanceof Uint8Array) chunks += 1;
    if (chunks < MAX_CHUNKS || i === events.length - 1) continue;
    const { position, id: eventId } = event;
    yield { events: events.slice(start, i + 1), position, eventId };
    start = i + 1;
    chunks = 0;
  }
  yield { events: events.slice(start), ...reached };
}
