import type { Pool } from "pg";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { createLastSeen, type LastSeen } from "#infra/postgres/last-seen.ts";
import type { Log } from "#infra/postgres/log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import {
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/prepared-statements.ts";
import type { ResolvedVersion } from "./resolve-version.ts";

/** What pages of events are read with. */
export type EventReads = {
  /** For versions, and for short pages along an index. */
  readonly prepared: PreparedStatements;
  /** For all others: by COPY, planned for their values. */
  readonly pool: Pool;
  /** The latest versions as they were last resolved, by catalogue. */
  readonly seen: LastSeen<ResolvedVersion>;
};

/**
 * How long a page waits for its turn. 250 of 10,000 events asked for at once take 18 s on two cores, and
 * are answered late rather than refused.
 */
const WAIT_MS = 60_000;

/** Catalogues; a megabyte at most. */
const MAX_SEEN = 2_000;

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
  return { prepared, pool, seen: createLastSeen(MAX_SEEN), close };
}
