import { loadDatabaseConfig } from "#infra/config/config.ts";
import { visitEmbeddedPostgres } from "#infra/postgres/embedded/visit.ts";
import { adminCommand } from "./admin-command.ts";
import { RECORD_USAGE, runRecord } from "./agency-record-command.ts";
import { runServe, SERVE_USAGE } from "./agency-serve-command.ts";
import { backupCommand } from "./backup-command.ts";
import { type CliCommand, type ExitCode, fileArgument, UsageError } from "./command.ts";
import { hashedFile, runHash } from "./hash-command.ts";
import { logCommand } from "./log-command.ts";
import { parkedCommand } from "./parked-command.ts";
import { rebuildCommand } from "./rebuild-command.ts";
import { runRestore } from "./restore-command.ts";
import { verifyCommand } from "./verify-command.ts";
import { type CliOptions, withLog } from "./with-log.ts";

const COMMANDS: ReadonlyMap<string, CliCommand> = new Map([
  ["admin", adminCommand],
  ["backup", backupCommand],
  ["log", logCommand],
  ["parked", parkedCommand],
  ["rebuild", rebuildCommand],
  ["verify", verifyCommand],
]);

/** Commands about files and agencies, without a database. */
const ALONE = new Map([
  ["agency-record", { usage: RECORD_USAGE, run: runRecord }],
  ["agency-serve", { usage: SERVE_USAGE, run: runServe }],
]);

const RESTORE = "restore";
const HASH = "hash";

/**
 * Runs one command outside the service, on the configured database.
 * @param args the command's name and its arguments
 * @throws UsageError, ConfigError, NoDatabase, DataDirInUse, and errors of the command
 */
export async function runCli(args: readonly string[], options: CliOptions): Promise<ExitCode> {
  const [name = "", ...rest] = args;
  // The only command that creates its database.
  if (name === RESTORE) {
    const file = withUsage("npm run restore -- FILE", () => fileArgument(rest));
    return runRestore(file, options);
  }
  // About a file alone: whoever has one can check it anywhere.
  if (name === HASH) {
    const file = withUsage("npm run hash -- FILE, or - for the standard input", () =>
      hashedFile(rest),
    );
    return runHash(file, options);
  }
  const alone = ALONE.get(name);
  if (alone !== undefined) {
    if (!rest.includes("--help")) {
      return alone.run(rest, options).catch((error) => {
        throw withUsageOf(error, alone.usage);
      });
    }
    await options.write(`Usage: ${alone.usage}`);
    return 0;
  }
  const command = COMMANDS.get(name);
  if (!command) {
    throw new UsageError(
      `Name a command: ${[...COMMANDS.keys(), ...ALONE.keys(), RESTORE, HASH].join(", ")}`,
    );
  }
  const run = withUsage(command.usage, () => command.parse(rest));
  const { databaseUrl, dataDir, eventStoreUrl, publicBaseUrl } = loadDatabaseConfig(options.env);
  const visit = databaseUrl
    ? { url: databaseUrl, leave: async () => undefined }
    : await visitEmbeddedPostgres(dataDir, options.logger);
  try {
    return await withLog({ databaseUrl: visit.url, eventStoreUrl, publicBaseUrl }, options, run);
  } finally {
    await visit.leave();
  }
}

function withUsage<T>(usage: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw withUsageOf(error, usage);
  }
}

function withUsageOf(error: unknown, usage: string): unknown {
  if (!(error instanceof UsageError)) return error;
  return new UsageError(`${error.message}\nUsage: ${usage}`, { cause: error });
}
