import type { Socket } from "node:net";
import type { Client } from "pg";
import type { PoolUse } from "#infra/metrics/pool-metrics.ts";
import { type Log, SILENT } from "../kernel/log.ts";
import { clientConfig, type DatabaseOptions } from "./pool.ts";
import { type ConnectionConfig, PrimaryClient } from "./primary-client.ts";
import { createStatements, parameterSql, type SqlToken, type Statements } from "./statements.ts";
import { DatabaseSilent } from "./watched-socket.ts";

/** Frequent statements, of few texts: each connection plans a text once for all its values. */
export type PreparedStatements = Statements & {
  readonly inUse: () => PoolUse;
  readonly close: () => Promise<void>;
};

/** Plans by index also suit a table that has grown since. Compilation takes longer than reads. */
export const PREPARED_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_sort: "off",
  jit: "off",
};

const SECOND = 1_000;

export type PreparedOptions = DatabaseOptions & {
  /**
   * A connection on which an answer is awaited and no byte arrives for so long is cut. Default 6 s:
   * these are lookups by index, and a request is answered within 10 s.
   */
  readonly quietMs?: number;
};

const QUIET_MS = 6 * SECOND;

/**
 * Queries without slonik, which takes twice as long for a lookup as PostgreSQL itself (measured: 0.2
 * ms) and gives each query the connection that was idle longest. Writes wait for the disk, so they
 * have separate connections and do not delay reads.
 */
export function createPreparedStatements(
  url: string,
  options: PreparedOptions,
): PreparedStatements {
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

type PipelineOptions = {
  readonly max: number;
  readonly log: Log;
  /** A connection on which an answer is awaited and no byte arrives for so long is cut. */
  readonly quietMs: number;
};

/** pg's socket, which its types do not show. */
type WithSocket = { readonly connection: { readonly stream: Socket } };
const socketOf = (client: Client): Socket => (client as unknown as WithSocket).connection.stream;

/** Pending statements on a connection before another one is opened. */
const FEW = 2;
const TICK_MS = 1_000;

/**
 * At most `max` connections that do not wait for earlier answers, opened on demand and again after a
 * loss. The first are preferred: a server process that is not asleep yet answers in half the time.
 */
function createPipelinedConnections(
  config: ConnectionConfig,
  { max, log, quietMs }: PipelineOptions,
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
