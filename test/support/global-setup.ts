import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { copyDataDir, prepareDataDir } from "./data-dir-template.ts";
import { createTemplate } from "./database-template.ts";
import { keepTransactionsOpen } from "./open-transactions.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";
import { startTestServer, type TestServer } from "./test-server.ts";
import { workersEnded } from "./worker-end.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A database whose role may create others. */
    databaseUrl: string;
    /** Where workers note what their files share: test/support/worker-end.ts. */
    workersDirectory: string;
    /** Copied by test/support/prepared-data-dir.ts. */
    preparedDataDir: string;
    /** The migrated database that test databases are copied from, or why there is none. */
    databaseTemplate: { name: string } | { failure: string };
  }
}

async function startCopy(prepared: string, dataDir: string): Promise<TestServer> {
  await mkdir(dataDir);
  await copyDataDir(prepared, dataDir);
  return startTestServer(dataDir);
}

/**
 * One PostgreSQL cluster for the whole run; test files make databases of their own in it
 * (test/support/database.ts). TEST_DATABASE_URL names another server to use instead; with
 * TEST_OPEN_TRANSACTIONS_MS transactions of others hold back what subscriptions give.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await createTemporaryDirectory();
  const given = process.env["TEST_DATABASE_URL"];
  try {
    const prepared = join(directory.path, "prepared");
    await prepareDataDir(prepared);
    const embedded = given ? null : await startCopy(prepared, join(directory.path, "run"));
    const databaseUrl = given ?? embedded?.url ?? "";
    const template = await createTemplate(databaseUrl);
    const openMs = Number(process.env["TEST_OPEN_TRANSACTIONS_MS"] ?? 0);
    const endOpen = openMs > 0 ? keepTransactionsOpen(databaseUrl, openMs) : null;
    project.provide("databaseUrl", databaseUrl);
    const workers = join(directory.path, "workers");
    await mkdir(workers);
    project.provide("workersDirectory", workers);
    project.provide("preparedDataDir", prepared);
    project.provide("databaseTemplate", template.outcome);
    return async () => {
      try {
        await workersEnded(workers);
      } finally {
        await endOpen?.();
        await template.drop();
        await embedded?.stop();
        await directory.remove();
      }
    };
  } catch (error) {
    await directory.remove();
    throw error;
  }
}
