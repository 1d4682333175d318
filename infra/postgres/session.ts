import type { Client, Notification } from "pg";
import { type Log, SILENT } from "../kernel/log.ts";
import { ENDS_WITH_CLIENT } from "./asked-pool.ts";
import { connectionUrl } from "./connection-url.ts";
import { type OpenSocket, watchDatabase } from "./database-watch.ts";
import { PrimaryClient } from "./primary-client.ts";
import { DatabaseSilent } from "./watched-socket.ts";

export type ConnectionOptions = {
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  readonly log?: Log;
  /** Opens sockets that a database watch can cut; by default connections are not watched. */
  readonly openSocket?: OpenSocket | undefined;
};

/** A dedicated connection, for advisory locks and LISTEN, which last as long as their session. */
export type Session = {
  readonly client: Client;
  /** Aborts when the connection is lost, but not after `close`. */
  readonly lost: AbortSignal;
  onNotification(listener: (notification: Notification) => void): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Fails when the database cannot be reached within 5 s.
 * @param openSocket opens sockets that a database watch can cut
 */
export async function openSession(
  url: string,
  applicationName: string,
  openSocket?: OpenSocket,
  settings?: Readonly<Record<string, string>>,
): Promise<Session> {
  const lost = new AbortController();
  const client = new PrimaryClient({
    connectionString: connectionUrl(url, applicationName, settings),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(openSocket && { stream: openSocket }),
  });
  let closing = false;
  client.on("error", (error) => lost.abort(error));
  client.on("end", () => {
    if (!closing) lost.abort(new Error("the database connection ended"));
  });
  await client.connect();
  const close = (): Promise<void> => {
    closing = true;
    return client.end();
  };
  return {
    client,
    lost: lost.signal,
    onNotification: (listener) => void client.on("notification", listener),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * A database that took no connection is not asked again for so long: tasks that wait behind each other in a thread
 * would else wait for it one after the other. They follow within milliseconds, and the database may be well soon.
 */
const NOT_AGAIN_MS = 250;
const silences = new Map<string, number>();

/**
 * A session with its own database watch, for worker threads, which share no connections.
 * @throws DatabaseSilent
 */
export async function openWatchedSession(url: string, applicationName: string): Promise<Session> {
  const silentMs = silences.get(url);
  if (silentMs !== undefined && performance.now() - silentMs < NOT_AGAIN_MS) {
    throw new DatabaseSilent();
  }
  const watch = watchDatabase(url, SILENT);
  try {
    const session = await openSession(url, applicationName, watch.openSocket, ENDS_WITH_CLIENT);
    silences.delete(url);
    const close = () => session.close().finally(watch.close);
    return { ...session, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    if (error instanceof DatabaseSilent) silences.set(url, performance.now());
    watch.close();
    throw error;
  }
}
