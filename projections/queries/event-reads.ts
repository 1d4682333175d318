import type { Pool } from "pg";
import type { Log } from "#infra/postgres/log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { createPreparedReads, type PreparedReads } from "#infra/postgres/prepared-reads.ts";

/** What pages of events are read with. */
export type EventReads = {
  /** For versions, and for short pages along an index. */
  readonly prepared: PreparedReads;
  /** For all others: by COPY, planned for their values. */
  readonly pool: Pool;
};

/** Connects when something is first read. */
export function openEventReads(
  databaseUrl: string,
  log: Log,
): EventReads & { readonly close: () => Promise<void> } {
  const prepared = createPreparedReads(databaseUrl, { applicationName: "lookups", log });
  const pool = createPgPool(databaseUrl, { applicationName: "pages", log });
  const close = async (): Promise<void> => {
    await prepared.close();
    await pool.end();
  };
  return { prepared, pool, close };
}
