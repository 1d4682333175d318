import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { migrate } from "#infra/postgres/migrations/migrate.ts";
import { silentLogger } from "./logger.ts";

const run = promisify(execFile);

/** Copies a DATA_DIR as it stands, with its owners and modes. */
export async function copyDataDir(from: string, to: string): Promise<void> {
  await run("cp", ["-a", `${from}/.`, to]);
}

/**
 * Makes a DATA_DIR as a service leaves it that has started once. A migration that fails is reported
 * by the tests that need the schema.
 */
export async function prepareDataDir(dataDir: string): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDir, log: silentLogger() });
  await migrate(server.url).catch(() => undefined);
  await server.stop();
}
