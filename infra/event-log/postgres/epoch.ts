import { sql } from "slonik";
import type { Log } from "#infra/postgres/log.ts";
import type { Lookups } from "#infra/postgres/statements.ts";

/**
 * Raises the epoch when the log has come into another cluster by dump and restore: transaction ids
 * start again there, below those of the restored rows. Rows above the ids that this cluster has
 * given out are proof of the same, should the clusters share an identifier.
 */
export async function enterEpoch(database: Lookups, log: Log): Promise<void> {
  const raised = (await database.maybeOne(sql.unsafe`
    update event_log.cluster
    set epoch = epoch + 1, system_identifier = control.system_identifier
    from pg_control_system() control
    where cluster.system_identifier <> control.system_identifier or exists (
      select from event_log.events
      where transaction_id >=
        event_log.transaction_number(pg_snapshot_xmax(pg_current_snapshot()))
    )
    returning epoch`)) as { epoch: number } | null;
  if (raised !== null) log.warn(raised, "the event log is in a new database cluster");
}
