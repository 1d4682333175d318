import { sql } from "slonik";
import { z } from "zod";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Statements } from "#infra/postgres/statements.ts";
import type { Projection, Transaction } from "./projection.ts";

/** A parked event's place in the log. */
const ParkedPlace = z.object({ stream: z.string(), revision: z.int() });
export type ParkedPlace = z.infer<typeof ParkedPlace>;

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

/** The places of a subject's parked events, in log order. */
export function parkedPlaces(
  transaction: Transaction,
  projection: string,
  subject: string,
): Promise<readonly ParkedPlace[]> {
  return transaction.any(sql.type(ParkedPlace)`
    select stream, revision from parked_events
    where projection = ${projection} and subject = ${subject} order by position collate "C"`);
}

export async function removeParked(
  transaction: Transaction,
  projection: string,
  subject: string,
): Promise<void> {
  await transaction.run(sql.unsafe`
    delete from parked_events where projection = ${projection} and subject = ${subject}`);
}

const Count = z.object({ count: z.int() });

/** Number of a projection's parked events in `schema`. */
export async function countParked(
  database: Pick<Statements, "one">,
  schema: string,
  projection: string,
): Promise<number> {
  const { count } = await database.one(sql.type(Count)`
    select count(*)::int as count from ${sql.identifier([schema, "parked_events"])}
    where projection = ${projection}`);
  return count;
}
