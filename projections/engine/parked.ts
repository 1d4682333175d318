/** Events that could not be applied: they are parked, listed, and applied again. */

import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { ParkedSubject } from "#contracts/http/audit.ts";
import { derivedUuid } from "#infra/kernel/texts.ts";
import { type EventLog, type RecordedEvent, Unavailable } from "#infra/log/event-log.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import {
  type Connection,
  isoTimes,
  type Statements,
  statementsOn,
} from "#infra/postgres/statements.ts";
import { NotUndone, undoGivenUp } from "./left-rows.ts";
import { holdCheckpoint } from "./progress.ts";
import { inReadModel, LIVE_SCHEMA, type Projection, type Transaction } from "./projection.ts";

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
export async function parkedSubjects(
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
export async function parkEvent(
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
