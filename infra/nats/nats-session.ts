import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { connect, type NatsConnection } from "nats";
import { readNatsServers } from "../config/nats-servers.ts";

export type NatsSession = {
  readonly connection: NatsConnection;
  /** Aborts when the connection has ended, on either side. */
  readonly lost: AbortSignal;
  /** Closes the connection after sending what was written. */
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_MS = 5_000;
/** A broker that misses two pings is considered gone. */
const PING_MS = 10_000;

/**
 * One connection to the broker, to any of its servers. A lost session does not reconnect: its user
 * opens another and then checks what the broker still has.
 * @param url as NATS_URL takes it
 * @throws NatsError when none of the servers can be reached, each within 5 s
 */
export async function openNatsSession(url: string, name: string): Promise<NatsSession> {
  const connection = await connect({
    ...readNatsServers(url),
    name,
    reconnect: false,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
  });
  hearSocketErrors(connection);
  const lost = new AbortController();
  const closed = connection.closed().then((error) => {
    lost.abort(error ?? new Error("the connection to the broker ended"));
  });
  return {
    connection,
    lost: lost.signal,
    async close() {
      if (!connection.isClosed()) await connection.close();
      await closed;
    },
  };
}

/** Where the client, whose version is pinned, keeps its socket. */
type Internals = {
  readonly protocol?: { readonly transport?: { readonly socket?: Socket } };
};

/**
 * Adds an error listener to the client's socket. The client removes its own before it destroys the
 * socket; a late error (a write after the broker closed the connection) would then end the process.
 * The client detects the lost connection by itself.
 */
function hearSocketErrors(connection: NatsConnection): void {
  const socket = (connection as unknown as Internals).protocol?.transport?.socket;
  if (socket === undefined) throw new Error("the NATS client keeps its socket somewhere else");
  const ignore = (): void => undefined;
  socket.on("error", ignore);
  socket.removeAllListeners = (event) => {
    EventEmitter.prototype.removeAllListeners.call(socket, event);
    return socket.on("error", ignore);
  };
}
