import type { Client } from "pg";
import type { Logger } from "#infra/logging/logger.ts";
import type { Cluster } from "./cluster.ts";
import { connectToServer, type ServerConnection, takeServiceLock } from "./connect.ts";

export type EmbeddedOptions = {
  readonly dataDir: string;
  readonly log: Logger;
  /** Aborts when the process is about to end; a server lost after that is not restarted. */
  readonly signal?: AbortSignal;
  /** Called before this process starts the server, or when it has the lock: it then stops it, too. */
  readonly onOwned?: () => void;
};

/** Connects and takes the service lock. @throws DataDirInUse */
export async function takeHold(
  cluster: Cluster,
  password: string,
  port: number | null,
  options: EmbeddedOptions,
): Promise<ServerConnection> {
  const hold = await connectToServer(cluster, password, port, options);
  // Without a listener, a connection error would end the process.
  hold.client.on("error", () => undefined);
  try {
    await takeServiceLock(hold.client, cluster.dataDir);
    options.onOwned?.();
    return hold;
  } catch (error) {
    await hold.client.end().catch(() => undefined);
    throw error;
  }
}

/**
 * Keeps the service lock while the service runs. When the connection breaks (PostgreSQL restarts
 * after a crash, or was killed), it starts the server again on the same port, so that the service's
 * pools find it, and takes the lock again; if that fails, `lost` aborts.
 */
export function keepHold(
  first: ServerConnection,
  retake: () => Promise<ServerConnection>,
  { log, signal }: Pick<EmbeddedOptions, "log" | "signal">,
) {
  const lost = new AbortController();
  let stopping = false;
  let current = first.client;

  const watch = (client: Client): void => {
    current = client;
    client.once("end", () => {
      if (!stopping && !signal?.aborted) void recover();
    });
  };
  const recover = async (): Promise<void> => {
    log.error("connection to the embedded PostgreSQL lost, taking it up again");
    try {
      const hold = await retake();
      watch(hold.client);
      if (stopping) await hold.client.end();
    } catch (error) {
      log.fatal({ err: error }, "embedded PostgreSQL lost");
      lost.abort(error);
    }
  };
  watch(first.client);

  return {
    lost: lost.signal,
    /** Expects the connection to end from now on; the lock is kept until the server ends it. */
    letGo(): () => Promise<void> {
      stopping = true;
      return () => current.end().catch(() => undefined);
    },
  };
}
