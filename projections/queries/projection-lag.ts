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
 * How far a projection stands: `position` compares with those of the log, `updatedAt` is when it
 * last moved (ISO 8601 UTC), `parked` how many events it has set aside,
 * `appliedEvents` how many of the log it has applied.
 */
export type ProjectionState = z.infer<typeof ProjectionState>;

/** Every projection that has ever applied something, by name. */
export function projectionStates(pool: CommonQueryMethods): Promise<readonly ProjectionState[]> {
  return pool.any(sql.type(ProjectionState)`
    select c.projection, c.position,
      to_char(c.updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt",
      (select count(*) from read_model.parked_events p where p.projection = c.projection) as parked,
      c.applied_events as "appliedEvents"
    from read_model.checkpoints c
    order by c.projection`);
}
