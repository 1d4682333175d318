import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { isoTime } from "#infra/postgres/iso-time.ts";

/** Looked at no closer: there may be 100,000 rows. */
const DecisionRow = z.object({
  id: z.string(),
  type: z.enum(["same", "different"]),
  events: z.array(z.object({ catalogue_id: z.string(), event_id: z.string() })),
  note: z.string().nullable(),
  actor: z.string(),
  at: z.string(),
});

/** A decision of a merge that holds, with who made it and when. */
export type DecisionRow = z.infer<typeof DecisionRow>;

const COLUMNS = sql.fragment`id, type, events, note, actor, ${isoTime("at")} as at`;

/** The decisions of a merge that hold, the oldest first. */
export function readDecisions(
  statements: Pick<CommonQueryMethods, "any">,
  catalogueId: string,
): Promise<readonly DecisionRow[]> {
  return statements.any(sql.type(DecisionRow)`
    select ${COLUMNS} from read_model.merge_decisions where catalogue_id = ${catalogueId}
    order by merge_decisions.at, id`);
}

export function findDecision(
  pool: Pick<CommonQueryMethods, "maybeOne">,
  catalogueId: string,
  id: string,
): Promise<DecisionRow | null> {
  return pool.maybeOne(sql.type(DecisionRow)`
    select ${COLUMNS} from read_model.merge_decisions
    where catalogue_id = ${catalogueId} and id = ${id}`);
}

/** Whether more than so many decisions of a merge hold. */
export async function hasMoreDecisions(
  pool: Pick<CommonQueryMethods, "one">,
  catalogueId: string,
  than: number,
): Promise<boolean> {
  const { more } = await pool.one(sql.type(z.object({ more: z.boolean() }))`
    select exists (
      select from read_model.merge_decisions where catalogue_id = ${catalogueId} offset ${than}
    ) as more`);
  return more;
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
