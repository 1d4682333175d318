/**
 * Pools of connections: of slonik, of pg, of prepared statements; their types, and their state.
 */

import { type Client, type ClientConfig, Pool, types } from "pg";
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
import { urlOfHost } from "../config/servers.ts";
import type { Readings } from "../process/metrics.ts";
import {
  type ConnectionConfig,
  type ConnectionOptions,
  connectionUrl,
  DatabaseSilent,
  type Log,
  PrimaryClient,
  SILENT,
} from "./connection.ts";
import { isTransient } from "./failures.ts";
import { createStatements, parameterSql, type SqlToken, socketOf, validRow } from "./statements.ts";

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

type DatabaseOptions = ConnectionOptions & {
  readonly applicationName: string;
  readonly maxConnections?: number;
  /** Time after which a statement is cancelled; 0 for never. Default 60 s. */
  readonly statementTimeoutMs?: number;
  /** PostgreSQL settings of the pool's sessions. */
  readonly settings?: Readonly<Record<string, string>>;
};

/**
 * A slonik pool, for SQL other than COPY, LISTEN and very frequent reads (decision 0029). Rows are
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

function clientConfig(url: string, options: DatabaseOptions): ConnectionConfig {
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

export type PreparedStatements = ReturnType<typeof createPreparedStatements>;

/** Plans by index also suit a table that has grown since. Compilation takes longer than reads. */
export const PREPARED_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_sort: "off",
  jit: "off",
};

type PreparedOptions = DatabaseOptions & {
  /**
   * A connection on which an answer is awaited and no byte arrives for so long is cut. Default 6 s:
   * these are lookups by index, and a request is answered within 10 s.
   */
  readonly quietMs?: number;
};

const QUIET_MS = 6 * SECOND;

/**
 * Frequent statements, of few texts: each connection plans a text once for all its values. They go without slonik, which takes twice as long for a lookup as PostgreSQL itself (measured: 0.2
 * ms) and gives each query the connection that was idle longest. Writes wait for the disk, so they
 * have separate connections and do not delay reads.
 */
export function createPreparedStatements(url: string, options: PreparedOptions) {
  const connections = createPipelinedConnections(
    {
      ...clientConfig(url, { ...options, settings: PREPARED_SETTINGS }),
      connectionTimeoutMillis: 5 * SECOND,
      keepAliveInitialDelayMillis: 10 * SECOND,
    },
    {
      max: options.maxConnections ?? 4,
      log: options.log ?? SILENT,
      quietMs: options.quietMs ?? QUIET_MS,
    },
  );
  const plans = new Map<string, { readonly name: string; readonly text: string }>();

  function prepared(query: SqlToken) {
    const plan = plans.get(query.sql) ?? {
      name: `statement_${plans.size}`,
      text: parameterSql(query).text,
    };
    plans.set(query.sql, plan);
    return { ...plan, values: [...query.values] };
  }

  const statements = createStatements(async (query) => {
    const { rows } = await connections.use((client) => client.query(prepared(query)));
    return rows;
  });
  return { ...statements, inUse: connections.inUse, close: connections.close };
}

type Connection = {
  readonly client: Promise<Client>;
  readonly connected: Client;
  /** Statements that are not answered yet. */
  pending: number;
  /** Bytes received at the last tick, and ticks without a further one while an answer is awaited. */
  received: number;
  quiet: number;
};

/** Pending statements on a connection before another one is opened. */
const FEW = 2;
const TICK_MS = 1_000;

/**
 * At most `max` connections that do not wait for earlier answers, opened on demand and again after a
 * loss. The first are preferred: a server process that is not asleep yet answers in half the time.
 */
function createPipelinedConnections(
  config: ConnectionConfig,
  { max, log, quietMs }: { readonly max: number; readonly log: Log; readonly quietMs: number },
) {
  const connections = new Set<Connection>();
  const ticking = setInterval(() => cutQuiet(connections, quietMs), TICK_MS).unref();

  function leastBusy(): Connection {
    let least: Connection | undefined;
    for (const connection of connections) {
      if (connection.pending < FEW) return connection;
      if (least === undefined || connection.pending < least.pending) least = connection;
    }
    return least === undefined || connections.size < max ? open(connections, config, log) : least;
  }

  return {
    /** Runs `ask` on the connection with the fewest pending statements. */
    async use<T>(ask: (client: Client) => Promise<T>): Promise<T> {
      const connection = leastBusy();
      connection.pending += 1;
      try {
        return await ask(await connection.client);
      } finally {
        connection.pending -= 1;
      }
    },
    /** Statements behind another on their connection count as waiting. */
    inUse(): PoolUse {
      const pending = [...connections].map((connection) => connection.pending);
      const active = pending.filter((statements) => statements > 0).length;
      const statements = pending.reduce((sum, some) => sum + some, 0);
      return { active, idle: pending.length - active, waiting: statements - active };
    },
    async close(): Promise<void> {
      clearInterval(ticking);
      await Promise.allSettled([...connections].map(async ({ client }) => (await client).end()));
    },
  };
}

function open(connections: Set<Connection>, config: ConnectionConfig, log: Log): Connection {
  const client = new PrimaryClient({ ...config, pipeline: true });
  const opening = client.connect();
  const connection = { client: opening, connected: client, pending: 0, received: 0, quiet: 0 };
  const forget = (): void => void connections.delete(connection);
  client.on("error", (error) => {
    log.warn({ err: error }, "database connection lost");
    forget();
  });
  client.on("end", forget);
  connection.client.catch(forget);
  connections.add(connection);
  return connection;
}

/** The watch finds a server that is silent on all connections, this a single one of its processes. */
function cutQuiet(connections: Iterable<Connection>, quietMs: number): void {
  for (const connection of connections) {
    const { bytesRead } = socketOf(connection.connected);
    const isQuiet = connection.pending > 0 && bytesRead === connection.received;
    connection.quiet = isQuiet ? connection.quiet + 1 : 0;
    connection.received = bytesRead;
    if (connection.quiet * TICK_MS >= quietMs) {
      socketOf(connection.connected).destroy(new DatabaseSilent());
    }
  }
}

const { INT8, NUMERIC, DATE, TIMESTAMP, TIMESTAMPTZ } = types.builtins;

/** Types of arrays, which pg does not name (PostgreSQL's pg_type.dat). */
const TEXT_ARRAY: number = 1009;
const [INT8_ARRAY, NUMERIC_ARRAY, DATE_ARRAY] = [1016, 1231, 1182];
const [TIMESTAMP_ARRAY, TIMESTAMPTZ_ARRAY] = [1115, 1185];

type Parse = (value: string) => unknown;

const asText: Parse = (value) => value;

const readTexts: (value: string) => (string | null)[] = types.getTypeParser(TEXT_ARRAY);

/** From PostgreSQL's text form, in every pool. Times stay text: a Date loses microseconds. */
const PARSERS: ReadonlyMap<number, Parse> = new Map([
  [INT8, safeInteger],
  [INT8_ARRAY, arrayOf(safeInteger)],
  [NUMERIC, Number],
  [NUMERIC_ARRAY, arrayOf(Number)],
  [DATE, asText],
  [DATE_ARRAY, arrayOf(asText)],
  [TIMESTAMP, asText],
  [TIMESTAMP_ARRAY, arrayOf(asText)],
  [TIMESTAMPTZ, asText],
  [TIMESTAMPTZ_ARRAY, arrayOf(asText)],
]);

export const PG_TYPE_PARSERS = {
  getTypeParser(oid: number, format?: "text" | "binary"): unknown {
    const own = format === "binary" ? undefined : PARSERS.get(oid);
    return own ?? types.getTypeParser(oid, format);
  },
};

function arrayOf(parse: Parse): Parse {
  return (value) => readTexts(value).map((text) => (text === null ? null : parse(text)));
}

/** @throws RangeError when a number would lose digits; select such a column as text */
function safeInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`int8 ${value} exceeds a safe integer`);
  return number;
}

/** The state of a pool of database connections. */
export type PoolUse = {
  readonly active: number;
  readonly idle: number;
  /** Requests waiting for a connection. */
  readonly waiting: number;
};

export function useOfDatabase(pool: DatabasePool): PoolUse {
  const { acquiredConnections, idleConnections, waitingClients } = pool.state();
  return { active: acquiredConnections, idle: idleConnections, waiting: waitingClients };
}

export function useOfPgPool({ totalCount, idleCount, waitingCount }: Pool): PoolUse {
  return { active: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

export function useOfBoth(one: PoolUse, other: PoolUse): PoolUse {
  return {
    active: one.active + other.active,
    idle: one.idle + other.idle,
    waiting: one.waiting + other.waiting,
  };
}

/** By the pool's name; absent when its part of the service does not run in this process. */
export type PoolUses = ReadonlyMap<string, () => PoolUse>;

export function connectionReadings(uses: PoolUses): Readings {
  return [...uses].flatMap(([pool, use]) => {
    const { active, idle } = use();
    return [
      { labels: { pool, state: "active" }, value: active },
      { labels: { pool, state: "idle" }, value: idle },
    ];
  });
}

export function waitingReadings(uses: PoolUses): Readings {
  return [...uses].map(([pool, use]) => ({ labels: { pool }, value: use().waiting }));
}
