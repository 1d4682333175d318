import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { DecidedEvent } from "#contracts/merge/merge-decision.ts";
import { isoTime } from "#infra/postgres/iso-time.ts";

const DecisionRow = z.object({
  id: z.uuid(),
  type: z.enum(["same", "different"]),
  events: z.array(DecidedEvent),
  note: z.string().nullable(),
  actor: z.string(),
  at: z.string(),
});

/** A decision of a merge that holds, with who made it and when. */
export type DecisionRow = z.infer<typeof DecisionRow>;

/** The decisions of a merge that hold, the oldest first. */
export function readDecisions(
  statements: Pick<CommonQueryMethods, "any">,
  catalogueId: string,
): Promise<readonly DecisionRow[]> {
  return statements.any(sql.type(DecisionRow)`
    select id, type, events, note, actor, ${isoTime("at")} as at
    from read_model.merge_decisions where catalogue_id = ${catalogueId}
    order by merge_decisions.at, id`);
}

/** How many events of the log are in the rows of a merge's decisions. */
export async function appliedDecisions(
  pool: Pick<CommonQueryMethods, "maybeOne">,
  catalogueId: string,
): Promise<number> {
  const row = await pool.maybeOne(sql.type(z.object({ decided: z.int() }))`
    select merge_decided as decided from read_model.catalogues where id = ${catalogueId}`);
  return row?.decided ?? 0;
}
