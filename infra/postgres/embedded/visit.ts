import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "#infra/logging/logger.ts";
import { clusterVersion } from "./cluster.ts";
import { serviceUrl, startEmbeddedPostgres } from "./embedded.ts";
import { findPostmaster } from "./postmaster.ts";

/** There is no database to open. */
export class NoDatabase extends Error {
  override readonly name = "NoDatabase";
}

export type Visit = { readonly url: string; readonly leave: () => Promise<void> };

/**
 * Opens the embedded database of `dataDir` for a command outside the service. A running server is
 * used with the password stored beside the cluster; otherwise one is started for the duration of the
 * visit, and no service can start meanwhile.
 * @throws NoDatabase when the service has never run in `dataDir`; DataDirInUse
 */
export async function visitEmbeddedPostgres(dataDir: string, log: Logger): Promise<Visit> {
  const clusterDir = join(dataDir, "postgres");
  if ((await clusterVersion(clusterDir)) === null) {
    throw new NoDatabase(`There is no database in DATA_DIR: ${dataDir}`);
  }
  const running = await findPostmaster({ clusterDir });
  if (!running?.port) {
    const server = await startEmbeddedPostgres({ dataDir, log });
    return { url: server.url, leave: server.stop };
  }
  const password = (await readFile(join(dataDir, "postgres-password"), "utf8")).trim();
  const url = serviceUrl(password, running.port);
  return { url, leave: async () => undefined };
}
