import type { Pool } from "pg";
import { sql } from "slonik";
import { ParkedSubject } from "#contracts/http/parked-events.ts";
import { derivedUuid } from "#infra/event-log/derived-uuid.ts";
import { statementsOn } from "#infra/postgres/statements.ts";

const MAX_LISTED = 1_000;

const Row = ParkedSubject.omit({ id: true });

/** The blocked subjects, each with its first parked event; oldest first. */
export async function listParked(pool: Pick<Pool, "query">): Promise<ParkedSubject[]> {
  const rows = await statementsOn(pool).any(sql.type(Row)`
    select projection, subject, stream, revision, type, error, waiting,
      to_char(parked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as parked_at
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
