import { Pool } from "pg";
import { createPool, type DatabasePool } from "slonik";
import { connectionUrl, slonikConnectionUrl } from "./connection-url.ts";
import { isTransient } from "./failures.ts";
import { type Log, SILENT } from "./log.ts";
import { createRowValidation } from "./row-validation.ts";
import { PG_TYPE_PARSERS, SLONIK_TYPE_PARSERS } from "./type-parsers.ts";

const SECOND = 1_000;

export type DatabaseOptions = {
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly maxConnections?: number;
  /** A statement is cancelled after it; 0 for never. Default 60 s. */
  readonly statementTimeoutMs?: number;
  /** Settings of PostgreSQL for its sessions. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: Log;
};

/**
 * A slonik pool, for SQL that is neither COPY nor LISTEN nor asked all the time (decision 0016).
 * Rows are validated by the query's zod schema; int8 and numeric come as numbers (an int8 beyond the
 * safe integers is an error), dates and times as PostgreSQL's text, in UTC.
 * Fails when the database cannot be reached.
 */
export async function createDatabase(url: string, options: DatabaseOptions): Promise<DatabasePool> {
  const log = options.log ?? SILENT;
  const uri = slonikConnectionUrl(url, options.applicationName, options.settings);
  const pool = await createPool(uri, {
    maxPoolSize: options.maxConnections ?? 10,
    captureStackTrace: false,
    idleInTransactionSessionTimeout: 30 * SECOND,
    idleTimeout: 60 * SECOND,
    statementTimeout:
      options.statementTimeoutMs === 0
        ? "DISABLE_TIMEOUT"
        : (options.statementTimeoutMs ?? 60 * SECOND),
    // Sessions carry no state between queries here, and DISCARD ALL costs a round trip on each.
    resetConnection: async () => {},
    typeParsers: SLONIK_TYPE_PARSERS,
    interceptors: [createRowValidation()],
  });
  // Every failed query comes here too, and without a listener would end as an uncaught error; its
  // caller has the error already, so only what befalls the connections is of interest.
  pool.on("error", (error) => {
    if (isTransient(error)) log.warn({ err: error }, "database connection failed");
  });
  return pool;
}

export type PgPoolOptions = DatabaseOptions & {
  /** To reach the server, and for one of its connections to be free. Default 5 s. */
  readonly connectionTimeoutMs?: number;
};

/**
 * A plain pg pool with the same types and session settings: for COPY, which slonik cannot do, for the
 * transactions of projections and for appends to the log.
 */
export function createPgPool(url: string, options: PgPoolOptions): Pool {
  const log = options.log ?? SILENT;
  const pool = new Pool({
    connectionString: connectionUrl(url, options.applicationName, options.settings),
    max: options.maxConnections ?? 4,
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 5 * SECOND,
    idleTimeoutMillis: 60 * SECOND,
    idle_in_transaction_session_timeout: 30 * SECOND,
    statement_timeout: options.statementTimeoutMs ?? 60 * SECOND,
    keepAlive: true,
    types: PG_TYPE_PARSERS,
  });
  pool.on("error", (error) => log.warn({ err: error }, "idle database connection lost"));
  // Whoever has a connection hears of its loss by his query; the event, unheard, would end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}
