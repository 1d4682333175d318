import { createPgPool } from "#infra/postgres/pool.ts";
import { type KnownLog, recogniseLog, requireKnownLog } from "../known-log.ts";
import type { OperatedEventLog } from "../operated-event-log.ts";
import { watchLog } from "../watch-log.ts";
import { type OpenEventLogOptions, openEventLog } from "./open-event-log.ts";

/** An open log, and its epoch for entity tags. */
export type OpenedLog = Pick<KnownLog, "epoch"> & { readonly log: OperatedEventLog };

/**
 * Opens the configured event log after verifying that the database's checkpoints belong to it. An
 * event store is watched while it is open; a log in PostgreSQL is always restored together with its
 * checkpoints.
 * @throws UnusableEventStore, LogMismatch
 */
export async function openKnownLog(options: OpenEventLogOptions): Promise<OpenedLog> {
  const { databaseUrl, log: logger } = options;
  const opened = await openEventLog(options);
  const pool = createPgPool(databaseUrl, {
    applicationName: "log watch",
    maxConnections: 1,
    log: logger,
  });
  try {
    const { epoch } = await recogniseLog(opened, pool, () => new Date());
    if (opened.kind === "event_log") {
      await pool.end();
      return { log: opened, epoch };
    }
    const watched = watchLog(opened, {
      requireKnown: () => requireKnownLog(opened, pool),
      logger,
    });
    const close = () => watched.close().finally(() => pool.end());
    return { log: { ...watched, close }, epoch };
  } catch (error) {
    await opened.close();
    if (!pool.ending) await pool.end();
    throw error;
  }
}
