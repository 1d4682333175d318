import { Client, type ClientConfig } from "pg";
import type { PoolUse } from "#infra/metrics/pool-metrics.ts";
import type { Log } from "./log.ts";

/** Connections that send statements without waiting for the answers to those before. */
export type PipelinedConnections = {
  /** Asks on the connection that has the least to answer. */
  readonly use: <T>(ask: (client: Client) => Promise<T>) => Promise<T>;
  /** Statements behind another on their connection are what waits. */
  readonly inUse: () => PoolUse;
  readonly close: () => Promise<void>;
};

type Connection = { readonly client: Promise<Client>; asked: number };

/** Statements that a connection is sent at once before another is opened. */
const FEW = 2;

/**
 * At most `max` connections, opened when they are first needed and again after one was lost; what was
 * being asked on a lost one fails. The first connections are preferred: a process that has not gone to
 * sleep yet answers a lookup in half the time.
 */
export function createPipelinedConnections(
  config: ClientConfig,
  { max, log }: { readonly max: number; readonly log: Log },
): PipelinedConnections {
  const connections = new Set<Connection>();

  function open(): Connection {
    const client = new Client({ ...config, pipeline: true });
    const connection = { client: client.connect(), asked: 0 };
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

  function least(): Connection {
    let found: Connection | undefined;
    for (const connection of connections) {
      if (connection.asked < FEW) return connection;
      if (found === undefined || connection.asked < found.asked) found = connection;
    }
    return found === undefined || connections.size < max ? open() : found;
  }

  return {
    async use(ask) {
      const connection = least();
      connection.asked += 1;
      try {
        return await ask(await connection.client);
      } finally {
        connection.asked -= 1;
      }
    },
    inUse() {
      const asked = [...connections].map((connection) => connection.asked);
      const active = asked.filter((statements) => statements > 0).length;
      const statements = asked.reduce((sum, some) => sum + some, 0);
      return { active, idle: asked.length - active, waiting: statements - active };
    },
    async close() {
      await Promise.allSettled([...connections].map(async ({ client }) => (await client).end()));
    },
  };
}
