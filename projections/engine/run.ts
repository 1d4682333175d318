import type { Pool } from "pg";
import type { Logger } from "pino";
import { sql } from "slonik";
import { z } from "zod";
import { ParkedSubject } from "#contracts/http/audit.ts";
import { derivedUuid } from "#infra/kernel/texts.ts";
import { supervise } from "#infra/kernel/waiting.ts";
import { requireKnown } from "#infra/log/domain-events.ts";
import {
  type Batch,
  type Checkpoint,
  type EventLog,
  type Position,
  type RecordedEvent,
  Unavailable,
  UnknownEvent,
} from "#infra/log/event-log.ts";
import type { Lease } from "#infra/postgres/coordination.ts";
import { isCancelled, isTransient } from "#infra/postgres/failures.ts";
import {
  type Connection,
  isoTimes,
  type Statements,
  statementsOn,
} from "#infra/postgres/statements.ts";
import type { MeasuredBatch } from "#infra/process/metrics.ts";
import { inPieces, NotUndone, undoGivenUp } from "./left-rows.ts";
import {
  type CheckpointMove,
  CheckpointMoved,
  holdCheckpoint,
  moveCheckpoint,
  readCheckpoint,
} from "./progress.ts";
import { inReadModel, LIVE_SCHEMA, type Projection, type Transaction } from "./projection.ts";

/** A batch of events that was applied, and where the projection stands now. */
type AppliedBatch = MeasuredBatch & { readonly position: Position };

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
export function runProjection(deps: ProjectionDeps, projection: Projection, signal: AbortSignal) {
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

type Target = {
  /** The schema of the tables; by default the live one. */
  readonly schema?: string;
  /** Once another process has taken the lease over, nothing is applied. */
  readonly lease?: Pick<Lease, "name" | "number">;
  /** Whether an event is parked whose statement takes longer than it may. */
  readonly parksSlow?: boolean;
};

type ParkedEvent = { readonly event: RecordedEvent; readonly error: unknown };

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

/** Events that could not be applied: they are parked, listed, and applied again. */

/**
 * Applies a subject's parked events in order and unblocks its later events, in one transaction, so
 * that readers see the subject either as before or complete.
 * @returns the number of events applied; 0 when none was parked
 * @throws the error of an event that cannot be applied; all events then stay parked
 */
export async function retryParkedEvents(
  pool: Pool,
  log: Pick<EventLog, "read">,
  projection: Projection,
  subject: string,
): Promise<number> {
  return inReadModel(pool, LIVE_SCHEMA, async (transaction) => {
    // Prevents batches meanwhile, so that no event is parked after those read here.
    await holdCheckpoint(transaction, projection.name);
    const ofSubject = sql.fragment`
      from parked_events where projection = ${projection.name} and subject = ${subject}`;
    const places = await transaction.any(sql.type(ParkedPlace)`
      select stream, revision ${ofSubject} order by position collate "C"`);
    if (places.length === 0) return 0;
    await projection.clearParked?.(transaction, subject);
    for (const place of places) {
      const event = await eventAt(log, place);
      try {
        await projection.apply(transaction, [event]);
      } catch (error) {
        if (!(error instanceof NotUndone)) throw error;
        await undoGivenUp((work) => work(transaction), projection.tables, { key: error.key });
        await projection.apply(transaction, [event]);
      }
    }
    await transaction.run(sql.unsafe`delete ${ofSubject}`);
    return places.length;
  });
}

/** The event still cannot be applied; the cause is the reason. */
export class StillParked extends Error {
  override readonly name = "StillParked";
}

/**
 * Retries a blocked subject of `listParked`.
 * @returns the number of events applied
 * @throws StillParked; transient errors of database and log
 */
export async function retryParked(
  pool: Pool,
  log: Pick<EventLog, "read">,
  projections: readonly Projection[],
  parked: Pick<ParkedSubject, "projection" | "subject">,
): Promise<number> {
  const projection = projections.find(({ name }) => name === parked.projection);
  if (!projection) throw new StillParked(`There is no projection ${parked.projection} any more`);
  try {
    return await retryParkedEvents(pool, log, projection, parked.subject);
  } catch (error) {
    if (isTransient(error) || error instanceof Unavailable) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StillParked(`${parked.subject} still cannot be brought up to date: ${reason}`, {
      cause: error,
    });
  }
}

async function eventAt(
  log: Pick<EventLog, "read">,
  { stream, revision }: z.infer<typeof ParkedPlace>,
): Promise<RecordedEvent> {
  const [event] = await log.read(stream, revision, 1);
  if (event?.revision !== revision) {
    throw new Error(`the log has no revision ${revision} of ${stream}, which is parked`);
  }
  return event;
}

const MAX_LISTED = 1_000;

const Row = ParkedSubject.omit({ id: true });

/** The blocked subjects, each with its first parked event; oldest first. */
export async function listParked(pool: Connection): Promise<ParkedSubject[]> {
  const rows = await statementsOn(pool).any(sql.type(Row)`
    select projection, subject, stream, revision, type, error, waiting,
      ${isoTimes("parked_at")}
    from (
      select *, (count(*) over subject - 1)::int as waiting, row_number() over in_order as place
      from read_model.parked_events
      window subject as (partition by projection, subject),
        in_order as (partition by projection, subject order by position collate "C")
    ) parked
    where place = 1
    order by parked.parked_at, projection, subject
    limit ${MAX_LISTED}`);
  // The same whenever a subject is blocked again.
  const idOf = ({ projection, subject }: (typeof rows)[number]) =>
    derivedUuid(`${projection}\n${subject}`);
  return rows.map((row) => ({ id: idOf(row), ...row }));
}

/** A parked event's place in the log. */
const ParkedPlace = z.object({ stream: z.string(), revision: z.int() });

const SubjectRow = z.object({ subject: z.string() });

/** The elements of `subjects` that have parked events, behind which later events must wait. */
async function parkedSubjects(
  transaction: Transaction,
  projection: string,
  subjects: readonly string[],
): Promise<Set<string>> {
  const rows = await transaction.any(sql.prepared("parked_subjects", SubjectRow)`
    select distinct subject from parked_events
    where projection = ${projection} and subject = any(${sql.array([...subjects], "text")})`);
  return new Set(rows.map((row) => row.subject));
}

/** Parks an event with the reason; it stays in the log and is referenced by stream and revision. */
async function parkEvent(
  transaction: Transaction,
  projection: Projection,
  event: RecordedEvent,
  reason: string,
): Promise<void> {
  const subject = projection.subject(event);
  const { position, stream, revision, type } = event;
  await transaction.run(sql.unsafe`
    insert into parked_events (projection, position, subject, stream, revision, type, error)
    values (${projection.name}, ${position}, ${subject}, ${stream}, ${revision}, ${type}, ${reason})
    on conflict do nothing`);
  await projection.markParked?.(transaction, subject);
}

const Count = z.object({ count: z.int() });

/** Number of a projection's parked events in `schema`. */
export async function countParked(database: Statements, schema: string, projection: string) {
  const { count } = await database.one(sql.type(Count)`
    select count(*)::int as count from ${sql.identifier([schema, "parked_events"])}
    where projection = ${projection}`);
  return count;
}
