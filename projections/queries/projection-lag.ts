import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";

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
      to_char(c.updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt",
      (select count(*) from read_model.parked_events p where p.projection = c.projection) as parked,
      c.applied_events as "appliedEvents"
    from read_model.checkpoints c
    order by c.projection`);
}
