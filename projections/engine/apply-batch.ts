import type { Pool } from "pg";
import { sql } from "slonik";
import { UnknownEvent } from "#infra/event-log/errors.ts";
import type { Checkpoint, Position, RecordedEvent } from "#infra/event-log/event-log.ts";
import { isCancelled, isTransient } from "#infra/postgres/failures.ts";
import type { Lease } from "#infra/postgres/lease.ts";
import { type CheckpointMove, CheckpointMoved, moveCheckpoint } from "./checkpoint.ts";
import { inPieces, NotUndone, undoGivenUp } from "./left-rows.ts";
import { parkEvent, parkedSubjects } from "./parked-events.ts";
import type { Projection, Transaction } from "./projection.ts";
import { inReadModel, LIVE_SCHEMA } from "./read-model-schema.ts";

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
