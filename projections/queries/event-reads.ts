import type { Pool } from "pg";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import type { Log } from "#infra/postgres/log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import {
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/prepared-statements.ts";

/** What pages of events are read with. */
export type EventReads = {
  /** For versions. */
  readonly prepared: PreparedStatements;
  /** For the events themselves: by COPY, planned for the values of the filters. */
  readonly pool: Pool;
};

/**
 * How long a page waits for its turn. 250 of 10,000 events asked for at once take 18 s on two cores, and
 * are answered late rather than refused.
 */
const WAIT_MS = 60_000;

/** Connects when something is first read. */
export function openEventReads(
  databaseUrl: string,
  log: Log,
  openSocket?: OpenSocket,
): EventReads & { readonly close: () => Promise<void> } {
  const prepared = createPreparedStatements(databaseUrl, {
    applicationName: "lookups",
    log,
    openSocket,
  });
  const pool = createPgPool(databaseUrl, {
    applicationName: "pages",
    maxConnections: 10,
    connectionTimeoutMs: WAIT_MS,
    log,
    openSocket,
  });
  const close = async (): Promise<void> => {
    await prepared.close();
    await pool.end();
  };
  return { prepared, pool, close };
}
