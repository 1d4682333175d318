import type { Pool } from "pg";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { ParkedSubject } from "#contracts/http/parked-events.ts";
import { derivedUuid } from "#infra/event-log/derived-uuid.ts";
import { isoTime, isoTimes } from "#infra/postgres/iso-time.ts";
import { statementsOn } from "#infra/postgres/statements.ts";

const ProjectionState = z.object({
  projection: z.string(),
  position: z.string(),
  updatedAt: z.string(),
  parked: z.int(),
  appliedEvents: z.int(),
});

/**
 * A projection's progress: `position` compares with the log's positions, `updatedAt` is when it last
 * advanced (ISO 8601 UTC), `parked` is the number of parked events, `appliedEvents` the number of
 * applied ones.
 */
export type ProjectionState = z.infer<typeof ProjectionState>;

/** All projections that have ever applied an event, by name. */
export function projectionStates(pool: CommonQueryMethods): Promise<readonly ProjectionState[]> {
  return pool.any(sql.type(ProjectionState)`
    select c.projection, c.position,
      ${isoTime("c.updated_at")} as "updatedAt",
      (select count(*) from read_model.parked_events p where p.projection = c.projection) as parked,
      c.applied_events as "appliedEvents"
    from read_model.checkpoints c
    order by c.projection`);
}

const MAX_LISTED = 1_000;

const Row = ParkedSubject.omit({ id: true });

/** The blocked subjects, each with its first parked event; oldest first. */
export async function listParked(pool: Pick<Pool, "query">): Promise<ParkedSubject[]> {
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
  return rows.map((row) => ({ id: parkedId(row), ...row }));
}

/** The id of a blocked subject, the same whenever it is blocked again. */
function parkedId({ projection, subject }: Pick<ParkedSubject, "projection" | "subject">): string {
  return derivedUuid(`${projection}\n${subject}`);
}
