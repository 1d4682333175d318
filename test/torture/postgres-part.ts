import { setTimeout as delay } from "node:timers/promises";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#infra/postgres/embedded.ts";
import { serverPid } from "../support/embedded-server.ts";
import { silentLogger } from "../support/logger.ts";
import { startTcpRelay, type TcpRelay } from "../support/tcp-relay.ts";
import type { Part } from "./part.ts";

export type PostgresPart = Part & {
  /** By way of the relay: the same whatever becomes of the server. */
  readonly url: () => string;
  readonly relay: TcpRelay;
  readonly stop: () => Promise<void>;
};

const RETRY_MS = 300;

/** A PostgreSQL server in `dataDir`, behind a relay. */
export async function startPostgresPart(dataDir: string): Promise<PostgresPart> {
  const startServer = () => startEmbeddedPostgres({ dataDir, log: silentLogger() });
  let server: EmbeddedPostgres | null = await startServer();
  let direct = new URL(server.url);
  const relay = await startTcpRelay(() => Number(direct.port));
  return {
    name: "postgres",
    relay,
    url: () => {
      const url = new URL(direct);
      url.host = `127.0.0.1:${relay.port}`;
      return url.href;
    },
    isRunning: () => server !== null,
    kill: async () => {
      process.kill(await serverPid(dataDir), "SIGKILL");
      await server?.stop();
      server = null;
      relay.drop();
    },
    start: async () => {
      while (server === null) {
        // The old server's processes end a moment after it.
        server = await startServer().catch(() => null);
        if (server === null) await delay(RETRY_MS);
        else direct = new URL(server.url);
      }
    },
    stop: async () => {
      await server?.stop();
      await relay.close();
    },
  };
}
