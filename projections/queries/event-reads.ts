import type { Pool } from "pg";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import type { Log } from "#infra/postgres/log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import {
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/prepared-statements.ts";
import { contentOf, walkKeys } from "./key-walk.ts";
import { createPagePositions, type PagePositions } from "./page-positions.ts";

/** What pages of events are read with. */
export type EventReads = {
  /** For versions. */
  readonly prepared: PreparedStatements;
  /** For the events themselves: by COPY, planned for the values of the filters. */
  readonly pool: Pool;
  /** Where pages by number lie. */
  readonly positions: PagePositions;
};

export type OpenEventReads = EventReads & {
  /** Walks to where pages lie, one at a time: no lookup waits behind one. */
  readonly walks: Pick<PreparedStatements, "inUse">;
  readonly close: () => Promise<void>;
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
): OpenEventReads {
  const prepared = createPreparedStatements(databaseUrl, {
    applicationName: "lookups",
    log,
    openSocket,
  });
  const walks = createPreparedStatements(databaseUrl, {
    applicationName: "walks",
    maxConnections: 1,
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
    await walks.close();
    await pool.end();
  };
  const positions = createPagePositions({
    walk: (part) => walkKeys(walks, part),
    contentOf: (version) => contentOf(prepared, version),
  });
  return { prepared, pool, positions, walks, close };
}
