import { type ClientConfig, Pool } from "pg";
import {
  ConnectionError,
  createDriverFactory,
  createPool,
  type DatabasePool,
  type DriverFactory,
  type DriverQueryResult,
  type Interceptor,
  sql,
} from "slonik";
import { SILENT } from "../kernel/log.ts";
import { connectionUrl } from "./connection-url.ts";
import { isTransient } from "./failures.ts";
import { urlOfHost } from "./hosts.ts";
import { type ConnectionConfig, PrimaryClient } from "./primary-client.ts";
import type { ConnectionOptions } from "./session.ts";
import { validRow } from "./statements.ts";
import { PG_TYPE_PARSERS } from "./type-parsers.ts";

/** pg's message where `query_timeout` has passed. */
const READ_TIMEOUT = "Query read timeout";

/**
 * Makes slonik connect like all other parts of the service, with the same types and settings. A
 * failed connection is reported at its first statement: when none can be opened, slonik's pool
 * forgets waiting callers, but it passes on the errors of statements.
 */
function slonikDriver(config: ConnectionConfig): DriverFactory {
  return createDriverFactory(async () => ({
    async createPoolClient({ clientEventEmitter }) {
      const client = new PrimaryClient(config);
      let unreachable: ConnectionError | null = null;
      client.on("error", (error) => clientEventEmitter.emit("error", error));
      return {
        connect: async () => {
          await client.connect().catch((cause: Error) => {
            unreachable = new ConnectionError(cause.message, { cause });
          });
        },
        end: () => client.end(),
        async query(text, values = []) {
          if (unreachable !== null) throw unreachable;
          const answer = await client.query({ text, values }).catch((error: Error) => {
            // pg rejects, but the statement still holds the connection.
            if (error.message !== READ_TIMEOUT) throw error;
            void client.end().catch(() => undefined);
            throw new ConnectionError("timeout exceeded: the statement was not answered", {
              cause: error,
            });
          });
          const { command, fields, rowCount, rows } = answer;
          const named = fields.map(({ name, dataTypeID }) => ({ name, dataTypeId: dataTypeID }));
          return { command, fields: named, rowCount, rows } as DriverQueryResult;
        },
        stream() {
          throw new Error("rows are streamed by COPY");
        },
      };
    },
  }));
}

const SECOND = 1_000;
const CONNECTION_TIMEOUT_MS = 5 * SECOND;
const IDLE_TIMEOUT_MS = 60 * SECOND;
const STATEMENT_TIMEOUT_MS = 60 * SECOND;
const GRACE_MS = 5 * SECOND;

export type DatabaseOptions = ConnectionOptions & {
  readonly applicationName: string;
  readonly maxConnections?: number;
  /** Time after which a statement is cancelled; 0 for never. Default 60 s. */
  readonly statementTimeoutMs?: number;
  /** PostgreSQL settings of the pool's sessions. */
  readonly settings?: Readonly<Record<string, string>>;
};

/**
 * A slonik pool, for SQL other than COPY, LISTEN and very frequent reads (decision 0016). Rows are
 * validated by the query's zod schema; int8 and numeric become numbers (an int8 beyond the safe
 * integers is an error), dates and times text in UTC. Fails when the database cannot be reached.
 */
export async function createDatabase(url: string, options: DatabaseOptions): Promise<DatabasePool> {
  const log = options.log ?? SILENT;
  const pool = await createPool(urlOfHost(url, 0), {
    driverFactory: slonikDriver({
      ...clientConfig(url, options),
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      ...bounded(options.statementTimeoutMs),
    }),
    maxPoolSize: options.maxConnections ?? 10,
    captureStackTrace: false,
    idleTimeout: IDLE_TIMEOUT_MS,
    // Sessions have no state between queries, and DISCARD ALL would cost a round trip.
    resetConnection: async () => {},
    interceptors: [ROW_VALIDATION],
  });
  // Failed queries emit this event too, which without a listener would be an uncaught error. Their
  // callers have the error already, so only faults of connections are logged.
  pool.on("error", (error) => {
    if (isTransient(error)) log.warn({ err: error }, "database connection failed");
  });
  try {
    await pool.query(sql.unsafe`select 1`);
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** The client's bound, for a server process that cannot keep its own; 0 for none. */
function bounded(statementTimeoutMs = STATEMENT_TIMEOUT_MS): Pick<ClientConfig, "query_timeout"> {
  return statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + GRACE_MS };
}

/** Parses every row with the zod schema of its query (`sql.type(schema)`). */
const ROW_VALIDATION: Interceptor = {
  name: "row-validation",
  transformRow({ resultParser }, query, row) {
    if (resultParser === undefined) return row;
    return validRow(resultParser, query, row) as typeof row;
  },
};

export type PgPoolOptions = DatabaseOptions & {
  /** For reaching the server, and for a free connection. Default 5 s. */
  readonly connectionTimeoutMs?: number;
};

/** A plain pg pool, for COPY, for the transactions of projections and for appends to the log. */
export function createPgPool(url: string, options: PgPoolOptions): Pool {
  const log = options.log ?? SILENT;
  const pool = new Pool({
    ...clientConfig(url, options),
    // The pool gives it the options above, though its types do not say so.
    Client: PrimaryClient as never,
    max: options.maxConnections ?? 4,
    connectionTimeoutMillis: options.connectionTimeoutMs ?? CONNECTION_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
  });
  pool.on("error", (error) => log.warn({ err: error }, "idle database connection lost"));
  // The query's caller has the error already; without a listener the event ends the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

export function clientConfig(url: string, options: DatabaseOptions): ConnectionConfig {
  const { applicationName, settings, openSocket } = options;
  return {
    connectionString: connectionUrl(url, applicationName, settings),
    idle_in_transaction_session_timeout: 30 * SECOND,
    statement_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    types: PG_TYPE_PARSERS,
    ...(openSocket && { stream: openSocket }),
  };
}
