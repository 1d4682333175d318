import type { ColumnsLimits } from "#contracts/query/packed-columns.ts";
import type { Logger } from "#infra/process/logger.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { silentLogger } from "./logger.ts";
import { type ServiceLog, startServiceLog, type TestLogKind, testLogKind } from "./service-log.ts";
import { startTestService } from "./start-test-service.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";

export type RunningService = {
  readonly url: string;
  readonly databaseUrl: string;
  readonly log: ServiceLog;
  /** Stops the service and removes what it had. @throws Error when a connection is left open */
  readonly stop: () => Promise<void>;
};

export type RunServiceOptions = {
  /** Whose database and log it shares. A database of its own when absent. */
  readonly copyOf?: Pick<RunningService, "databaseUrl" | "log"> | undefined;
  readonly logger?: Logger;
  /** Instead of a new database in the run's PostgreSQL; migrated at the start. */
  readonly databaseUrl?: string | undefined;
  /** Where its event log is; by default where TEST_EVENT_LOG says. */
  readonly eventLog?: TestLogKind;
  /** Of the link by which it is set up while it has no administrator. */
  readonly setupCode?: string;
  readonly columnsLimits?: ColumnsLimits;
};

/** The whole service in this process. */
export async function runService(
  variables: Readonly<Record<string, string>>,
  { copyOf, databaseUrl, logger, eventLog = testLogKind(), ...options }: RunServiceOptions,
): Promise<RunningService> {
  const url = copyOf?.databaseUrl ?? databaseUrl;
  const database: Pick<TestDatabase, "url"> & Partial<TestDatabase> = url
    ? { url }
    : await createTestDatabase();
  const log = copyOf?.log ?? (await startServiceLog(eventLog, database.url));
  const parts = await createTemporaryDirectory();
  const ownVariables = { DATABASE_URL: database.url, PARTS_DIR: parts.path };
  const all = { ...ownVariables, ...log.variables, ...variables };
  const started = await startTestService(all, logger ?? silentLogger(), options);
  return {
    url: started.url,
    databaseUrl: database.url,
    log,
    async stop() {
      await started.stop();
      if (!copyOf) await log.close();
      await database.drop?.();
      await parts.remove();
    },
  };
}
