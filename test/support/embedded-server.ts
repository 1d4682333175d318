import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { silentLogger } from "./logger.ts";

/** Starts an embedded PostgreSQL that is stopped when the test is finished. */
export async function startForTest(dataDir: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: silentLogger() });
  onTestFinished(() => server.stop());
  return server;
}

/** Process number of the server in `dataDir`. */
export async function serverPid(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8");
  return Number(text.split("\n")[0]);
}
