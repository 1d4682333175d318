import { loadDatabaseConfig } from "#infra/config/config.ts";
import { type OpenEventLogOptions, openEventLog } from "#infra/event-log/open/open-event-log.ts";
import type { Logger } from "#infra/logging/logger.ts";
import { visitEmbeddedPostgres } from "#infra/postgres/embedded/visit.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { backupCommand } from "./backup-command.ts";
import { type CliCommand, type CommandTools, type ExitCode, UsageError } from "./command.ts";
import { logCommand } from "./log-command.ts";
import { parkedCommand } from "./parked-command.ts";
import { rebuildCommand } from "./rebuild-command.ts";
import { runRestore } from "./restore-command.ts";
import { verifyCommand } from "./verify-command.ts";

const COMMANDS: Readonly<Record<string, CliCommand>> = {
  backup: backupCommand,
  log: logCommand,
  parked: parkedCommand,
  rebuild: rebuildCommand,
  verify: verifyCommand,
};

const RESTORE = "restore";

export type CliOptions = Pick<CommandTools, "signal" | "write" | "say"> & {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
};

/**
 * Runs one command outside the service, on the configured database.
 * @param args the command's name and its arguments
 * @throws UsageError, ConfigError, NoDatabase, DataDirInUse, and errors of the command
 */
export async function runCli(args: readonly string[], options: CliOptions): Promise<ExitCode> {
  const [name = "", ...rest] = args;
  // The only command that creates its database.
  if (name === RESTORE) return runRestore(rest, options);
  const command = COMMANDS[name];
  if (!command)
    throw new UsageError(`Name a command: ${[...Object.keys(COMMANDS), RESTORE].join(", ")}`);
  const run = parsed(command, rest);
  const { databaseUrl, dataDir, eventStoreUrl } = loadDatabaseConfig(options.env);
  const visit = databaseUrl
    ? { url: databaseUrl, leave: async () => undefined }
    : await visitEmbeddedPostgres(dataDir, options.logger);
  try {
    return await onDatabase({ databaseUrl: visit.url, eventStoreUrl }, run, options);
  } finally {
    await visit.leave();
  }
}

function parsed(command: CliCommand, args: readonly string[]) {
  try {
    return command.parse(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\nUsage: ${command.usage}`, { cause: error });
  }
}

async function onDatabase(
  place: Pick<OpenEventLogOptions, "databaseUrl" | "eventStoreUrl">,
  run: (tools: CommandTools) => Promise<ExitCode>,
  { signal, write, say, logger }: CliOptions,
): Promise<ExitCode> {
  const log = await openEventLog({
    ...place,
    applicationName: "command",
    maxConnections: 3,
    log: logger,
  });
  try {
    return await run({
      databaseUrl: place.databaseUrl,
      log,
      projections: ALL_PROJECTIONS,
      signal,
      write,
      say,
    });
  } finally {
    await log.close();
  }
}
