import type { Log } from "#infra/kernel/log.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import {
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/prepared-statements.ts";
import type { PageReads } from "../events/event-pages.ts";
import { contentOf, walkKeys } from "./key-walk.ts";
import { createPagePositions, type PagePositions } from "./page-positions.ts";

export type EventReads = PageReads & {
  /** Positions of pages by number. */
  readonly positions: PagePositions;
};

type OpenEventReads = EventReads & {
  /** Connection for walks to positions, one at a time, so that lookups do not wait behind them. */
  readonly walks: Pick<PreparedStatements, "inUse">;
  readonly close: () => Promise<void>;
};

/**
 * Longest wait for a turn. 250 concurrent requests for 10,000 events take 18 s on two cores, and a
 * late answer is better than a refusal.
 */
const WAIT_MS = 60_000;
/** As long as its statements may take. */
const WALK_QUIET_MS = 65_000;

/** Connects at the first read. */
export function openEventReads(
  databaseUrl: string,
  log: Log,
  openSocket?: OpenSocket,
): OpenEventReads {
  const lookups = { log, openSocket, applicationName: "lookups" };
  const prepared = createPreparedStatements(databaseUrl, lookups);
  const one = { log, openSocket, applicationName: "walks", maxConnections: 1 };
  // Walks to pages far in take long before their first row.
  const walks = createPreparedStatements(databaseUrl, { ...one, quietMs: WALK_QUIET_MS });
  const pool = createPgPool(databaseUrl, {
    log,
    openSocket,
    applicationName: "pages",
    maxConnections: 10,
    connectionTimeoutMs: WAIT_MS,
  });
  const close = async (): Promise<void> => {
    await prepared.close();
    await walks.close();
    await pool.end();
  };
  const positions = createPagePositions({
    walk: (part) => walkKeys(walks, part),
    contentOf: (version) => contentOf(prepared, version),
  });
  return { prepared, pool, positions, walks, close };
}
