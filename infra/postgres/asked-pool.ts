import { addAbortListener } from "node:events";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Pool, PoolClient } from "pg";

type WithSocket = { readonly connection: { readonly stream: Socket } };

/** Connections for somebody who asks, and may leave. */
export type AskedPool = Pick<Pool, "query" | "connect">;

/**
 * How often a server process looks whether its client is there still: by then a statement ends whose client left, or
 * was a thread that has ended.
 */
export const ENDS_WITH_CLIENT = { client_connection_check_interval: "500ms" };

/**
 * A pool whose statements end with who asks: the connection is cut at once, and the server sees that soon
 * (`ENDS_WITH_CLIENT`). Queries reject with the signal's reason then, what is copied as by a lost connection.
 */
export function whileAsked(pool: Pool, signal: AbortSignal): AskedPool {
  async function connect(): Promise<PoolClient> {
    signal.throwIfAborted();
    const client = await pool.connect();
    if (signal.aborted) {
      client.release();
      throw signal.reason;
    }
    const { stream } = (client as unknown as WithSocket).connection;
    const listening = addAbortListener(signal, () => cut(stream));
    const { release } = client;
    // The pool gives a client another one with each connection.
    client.release = (error) => {
      listening[Symbol.dispose]();
      release.call(client, error ?? signal.aborted);
    };
    return client;
  }

  async function query(...statement: Parameters<PoolClient["query"]>): Promise<unknown> {
    const client = await connect();
    try {
      return await client.query(...statement);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      client.release();
    }
  }
  return { connect, query } as AskedPool;
}

/** A closed connection would look open to the server until it had read all that was sent; a reset one does not. */
function cut(stream: Socket): void {
  if (stream instanceof TLSSocket) stream.destroy();
  else stream.resetAndDestroy();
}
