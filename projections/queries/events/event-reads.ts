import type { Pool } from "pg";
import type { Log } from "#infra/kernel/log.ts";
import { type AskedPool, ENDS_WITH_CLIENT } from "#infra/postgres/asked-pool.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import {
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/prepared-statements.ts";

/** Reads in the turn that a search of its price has, on connections whose statements end with who asks. */
export type Search = <T>(cost: SearchCost, read: (pool: AskedPool) => Promise<T>) => Promise<T>;

export type SearchCost = {
  /** `priceOf` what is looked through. */
  readonly price: number;
  /** In the answer, at most. */
  readonly events: number;
};

/** Connections for reading events. */
export type EventReads = {
  /** For resolving versions. */
  readonly prepared: PreparedStatements;
  /** For the events themselves, by COPY: planned for the actual filter values. */
  readonly pool: Pool;
  /** The same for what takes long: one for each that has its turn. */
  readonly longPool: Pool;
  /** Without turns, until somebody asks (`readsFor` of the gateway). */
  readonly search: Search;
};

type OpenEventReads = EventReads & { readonly close: () => Promise<void> };

/** Searches that run at once, and analyses: each may take a processor. */
export const LONG_READS = { searches: 3, analyses: 1 };

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
    settings: ENDS_WITH_CLIENT,
  });
  const longPool = createPgPool(databaseUrl, {
    log,
    openSocket,
    applicationName: "searches",
    maxConnections: LONG_READS.searches + LONG_READS.analyses,
    settings: ENDS_WITH_CLIENT,
  });
  const close = async (): Promise<void> => {
    await prepared.close();
    await pool.end();
    await longPool.end();
  };
  return { prepared, pool, longPool, search: (_cost, read) => read(pool), close };
}
