import type { ClientBase } from "pg";
import { type BackupHeader, UnusableBackup } from "#infra/backup/backup-format.ts";
import {
  checkBackup,
  emptyDatabase,
  fillFromBackup,
  requireEmpty,
} from "#infra/backup/restore-backup.ts";
import { loadDatabaseConfig } from "#infra/config/config.ts";
import { adoptLog } from "#infra/event-log/known-log.ts";
import { requireKnownLog } from "#infra/event-log/require-known-log.ts";
import { removeCluster, requireNoCluster } from "#infra/postgres/embedded/cluster.ts";
import { startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { appliedMigrations, migrate } from "#infra/postgres/migrations/migrate.ts";
import { openSession } from "#infra/postgres/session.ts";
import { type CommandTools, type ExitCode, UsageError } from "./command.ts";
import { rebuildCommand } from "./rebuild-command.ts";
import { verifyCommand } from "./verify-command.ts";
import { type CliOptions, withLog } from "./with-log.ts";

/**
 * Restores a backup to an empty database or DATA_DIR, builds the read models from the log and
 * verifies them. A failure leaves nothing behind.
 * @throws UsageError, UnusableBackup, NotEmpty, LogMismatch
 */
export async function runRestore(file: string, options: CliOptions): Promise<ExitCode> {
  const { header } = await checkBackup(file);
  const { databaseUrl, dataDir, ...elsewhere } = loadDatabaseConfig(options.env);
  requireSameKind(header, elsewhere.eventStoreUrl);
  const database = databaseUrl
    ? { url: databaseUrl, stop: async () => undefined, undo: async () => undefined }
    : await newEmbedded(dataDir, options);
  try {
    await onEmpty(database.url, async (client) => {
      await fill(client, database.url, file, header);
      const place = { databaseUrl: database.url, ...elsewhere };
      await withLog(place, options, (tools) => finish(tools, client));
    });
  } catch (error) {
    await database.stop();
    await database.undo();
    throw error;
  }
  await database.stop();
  return 0;
}

/** @throws UsageError when the configured log is not in the place that the backup says */
function requireSameKind({ logKind }: BackupHeader, eventStoreUrl: string | null): void {
  if (logKind === "event_store" && eventStoreUrl === null) {
    throw new UsageError("EVENTSTORE_URL must be set: the log of this backup is in an event store");
  }
  if (logKind === "event_log" && eventStoreUrl !== null) {
    throw new UsageError("EVENTSTORE_URL must not be set: the log is in the backup");
  }
}

async function newEmbedded(dataDir: string, { logger }: CliOptions) {
  await requireNoCluster(dataDir);
  const { url, stop } = await startEmbeddedPostgres({ dataDir, log: logger });
  return { url, stop, undo: () => removeCluster(dataDir) };
}

/** Runs `work` on an empty database and empties it again after a failure. */
async function onEmpty(url: string, work: (client: ClientBase) => Promise<void>): Promise<void> {
  await using session = await openSession(url, "restore");
  await requireEmpty(session.client);
  await work(session.client).catch(async (error: unknown) => {
    await session.client.query("rollback");
    await emptyDatabase(session.client);
    throw error;
  });
}

/**
 * Creates the schema of the backup's time, fills in its rows, and then migrates to the current
 * schema.
 */
async function fill(
  client: ClientBase,
  url: string,
  file: string,
  { migrations }: BackupHeader,
): Promise<void> {
  await migrate(url, { upTo: migrations.length });
  const present = await appliedMigrations(client);
  if (JSON.stringify(present) !== JSON.stringify(migrations)) {
    throw new UnusableBackup("the backup was made by a later or another version of the service");
  }
  await fillFromBackup(client, file);
  await migrate(url);
}

async function finish(tools: CommandTools, client: ClientBase): Promise<void> {
  await requireKnownLog(tools.log, client);
  await rebuildCommand.parse([])(tools);
  // Version numbers after the backup may recur with other content.
  await adoptLog(tools.log, client, () => new Date());
  if ((await verifyCommand.parse([])(tools)) !== 0) {
    throw new Error("the restored read models are not as the log says");
  }
  await tools.write("The backup is restored; start the service.");
}
