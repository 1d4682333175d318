import { sql } from "slonik";
import type { Log } from "#infra/kernel/log.ts";
import type { Lookups } from "#infra/postgres/statements.ts";

/**
 * Raises the epoch when a dump and restore moved the log to another cluster, where transaction ids
 * start again below those of the restored rows. If both clusters have the same identifier, rows with
 * transaction ids above this cluster's latest prove the move.
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
