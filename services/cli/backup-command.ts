import { BACKUP_FORMAT, BACKUP_VERSION, type BackupHeader } from "#infra/backup/backup-format.ts";
import { checkBackup } from "#infra/backup/restore-backup.ts";
import { writeBackup } from "#infra/backup/write-backup.ts";
import { readKnownLog, requireKnownLog } from "#infra/event-log/require-known-log.ts";
import { appliedMigrations } from "#infra/postgres/migrations/migrate.ts";
import { openSession, type Session } from "#infra/postgres/session.ts";
import { type CliCommand, type CommandTools, fileArgument } from "./command.ts";

/** Writes all data that cannot be rebuilt to one file, while the service runs. */
export const backupCommand: CliCommand = {
  usage: "npm run backup -- FILE",
  parse(args) {
    const file = fileArgument(args);
    return (tools) => backup(tools, file);
  },
};

async function backup(tools: CommandTools, file: string): Promise<0> {
  const { databaseUrl, signal, write } = tools;
  const session = await openSession(databaseUrl, "backup");
  try {
    const { client } = session;
    await requireKnownLog(tools.log, client);
    await client.query("begin isolation level repeatable read read only");
    const header = await headerOf(tools, session);
    await writeBackup({ client, header, file, signal });
    await client.query("commit");
  } finally {
    await session.close();
  }
  const { trailer } = await checkBackup(file);
  const rows = Object.values(trailer.rows).reduce((sum, count) => sum + count, 0);
  await write(`${file}: ${rows} rows, sha256 ${trailer.sha256}, read again and found as written`);
  return 0;
}

async function headerOf({ log }: CommandTools, { client }: Session): Promise<BackupHeader> {
  const known = await readKnownLog(client);
  if (known === null) throw new Error("the service has never started on this database");
  return {
    format: BACKUP_FORMAT,
    version: BACKUP_VERSION,
    createdAt: new Date().toISOString(),
    logId: known.logId,
    head: await log.head(),
    logKind: log.kind,
    migrations: [...(await appliedMigrations(client))],
  };
}
