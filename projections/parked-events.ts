import { escapeIdentifier } from "pg";
import { z } from "zod";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Projection, Transaction } from "./projection.ts";

/** Where in the log a parked event is. */
const ParkedPlace = z.object({ stream: z.string(), revision: z.int() });
export type ParkedPlace = z.infer<typeof ParkedPlace>;

const SubjectRows = z.array(z.object({ subject: z.string() }));

/** Those of `subjects` that have a parked event: whatever comes after it must wait behind it. */
export async function parkedSubjects(
  transaction: Transaction,
  projection: string,
  subjects: readonly string[],
): Promise<Set<string>> {
  const { rows } = await transaction.query({
    name: "parked_subjects",
    text: `select distinct subject from parked_events
     where projection = $1 and subject = any($2)`,
    values: [projection, subjects],
  });
  return new Set(SubjectRows.parse(rows).map((row) => row.subject));
}

/** Sets an event aside with the reason; it stays in the log and is named here by stream and revision. */
export async function parkEvent(
  transaction: Transaction,
  projection: Projection,
  event: RecordedEvent,
  reason: string,
): Promise<void> {
  const subject = projection.subject(event);
  await transaction.query(
    `insert into parked_events
       (projection, position, subject, stream, revision, type, error)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict do nothing`,
    [projection.name, event.position, subject, event.stream, event.revision, event.type, reason],
  );
  await projection.markParked?.(transaction, subject);
}

/** The places of a subject's parked events, in the order of the log. */
export async function parkedPlaces(
  transaction: Transaction,
  projection: string,
  subject: string,
): Promise<ParkedPlace[]> {
  const { rows } = await transaction.query(
    `select stream, revision from parked_events
     where projection = $1 and subject = $2 order by position collate "C"`,
    [projection, subject],
  );
  return z.array(ParkedPlace).parse(rows);
}

export async function removeParked(
  transaction: Transaction,
  projection: string,
  subject: string,
): Promise<void> {
  await transaction.query("delete from parked_events where projection = $1 and subject = $2", [
    projection,
    subject,
  ]);
}

const Count = z.tuple([z.object({ count: z.int() })]);

/** How many events of a projection are parked in `schema`. */
export async function countParked(
  database: Transaction,
  schema: string,
  projection: string,
): Promise<number> {
  const { rows } = await database.query(
    `select count(*)::int as count from ${escapeIdentifier(schema)}.parked_events
     where projection = $1`,
    [projection],
  );
  return Count.parse(rows)[0].count;
}
