import { Client, type Notification } from "pg";
import { connectionUrl } from "./connection-url.ts";
import type { OpenSocket } from "./database-watch.ts";

/** One dedicated connection, for what lives as long as its session: advisory locks and LISTEN. */
export type Session = {
  readonly client: Client;
  /** Aborts when the connection is lost; not when `close` ends it. */
  readonly lost: AbortSignal;
  onNotification(listener: (notification: Notification) => void): void;
  close(): Promise<void>;
};

/**
 * Fails when the database cannot be reached within 5 s.
 * @param openSocket of a watch over the database
 */
export async function openSession(
  url: string,
  applicationName: string,
  openSocket?: OpenSocket,
): Promise<Session> {
  const lost = new AbortController();
  const client = new Client({
    connectionString: connectionUrl(url, applicationName),
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
  return {
    client,
    lost: lost.signal,
    onNotification: (listener) => void client.on("notification", listener),
    async close() {
      closing = true;
      await client.end();
    },
  };
}
