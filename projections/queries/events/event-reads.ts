import type { Pool } from "pg";
import type { Log } from "#infra/kernel/log.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import {
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/prepared-statements.ts";

/** Connections for reading events. */
export type EventReads = {
  /** For resolving versions. */
  readonly prepared: PreparedStatements;
  /** For the events themselves, by COPY: planned for the actual filter values. */
  readonly pool: Pool;
};

type OpenEventReads = EventReads & { readonly close: () => Promise<void> };

/**
 * Longest wait for a turn. 250 concurrent requests for 10,000 events take 18 s on two cores, and a
 * late answer is better than a refusal.
 */
const WAIT_MS = 60_000;

/** Connects at the first read. */
export function openEventReads(
  databaseUrl: string,
  log: Log,
  openSocket?: OpenSocket,
): OpenEventReads {
  const lookups = { log, openSocket, applicationName: "lookups" };
  const prepared = createPreparedStatements(databaseUrl, lookups);
  const pool = createPgPool(databaseUrl, {
    log,
    openSocket,
    applicationName: "pages",
    maxConnections: 10,
    connectionTimeoutMs: WAIT_MS,
  });
  const close = async (): Promise<void> => {
    await prepared.close();
    await pool.end();
  };
  return { prepared, pool, close };
}
