import { once } from "node:events";
import { createReadStream } from "node:fs";
import { join, resolve } from "node:path";
import type { ParseArgsConfig } from "node:util";
import type { ClientBase } from "pg";
import { readRecording } from "#infra/agency/recording/recording.ts";
import { serveRecording } from "#infra/agency/recording/serve-recording.ts";
import {
  BACKUP_FORMAT,
  BACKUP_VERSION,
  type BackupHeader,
  checkBackup,
  emptyDatabase,
  fillFromBackup,
  requireEmpty,
  UnusableBackup,
  writeBackup,
} from "#infra/backup.ts";
import { loadDatabaseConfig } from "#infra/config/config.ts";
import { adoptLog, readKnownLog, requireKnownLog } from "#infra/log/known-log.ts";
import { openSession, type Session } from "#infra/postgres/connection.ts";
import { runAlone } from "#infra/postgres/coordination.ts";
import { removeCluster, requireNoCluster } from "#infra/postgres/embedded/cluster.ts";
import { startEmbeddedPostgres, visitEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { appliedMigrations, migrate } from "#infra/postgres/migrations/migrate.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { issueResetToken, RESET_MS } from "#infra/vault/credentials.ts";
import { emailHmac, emailKey } from "#infra/vault/personal-data.ts";
import { findAccountByEmail } from "#projections/read/accounts.ts";
import { versionsForParts } from "#projections/read/exports.ts";
import { uuidOrNull } from "#projections/read/lists.ts";
import { normaliseEmail } from "#services/domain/accounts/fields.ts";
import { publishParts } from "#services/parts/publish.ts";
import { hashExport } from "#services/versions/hashes.ts";
import { RECORD_USAGE, runRecord } from "./agency-record.ts";
import {
  type CliCommand,
  type CliOptions,
  type CommandTools,
  type ExitCode,
  fileArgument,
  readArguments,
  UsageError,
  withLog,
} from "./command.ts";
import { logCommand } from "./log.ts";
import { parkedCommand, rebuildCommand, verifyCommand } from "./read-models.ts";

/** Writes all data that cannot be rebuilt to one file, while the service runs. */
const backupCommand: CliCommand = {
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

const SERVE_USAGE = `npm run agency:serve -- DIR [options]
  --port N      on 127.0.0.1; by default any that is free
  --whole       takes the recording for all that the agency has: outside its windows there is nothing
  --without ID  leaves an event out, as if the agency had withdrawn it; may be given again
Serves a recording of npm run agency:record as an agency, prints its address and that of its messages, and ends at
Ctrl-C. Meanwhile curl -X POST http://127.0.0.1:N/events/ID/withdraw leaves an event out from then on, and
…/ID/tell gives it again and sends it, as it was recorded, to those who listen, in EMSC's shape.`;

const OPTIONS = {
  port: { type: "string", default: "0" },
  whole: { type: "boolean", default: false },
  without: { type: "string", multiple: true },
} as const satisfies NonNullable<ParseArgsConfig["options"]>;

const HIGHEST_PORT = 65_535;

/** Serves a recording until the signal. @throws UsageError, UnreadableRecording, and when the port is taken */
async function runServe(
  args: readonly string[],
  { signal, write, say }: Pick<CommandTools, "signal" | "write" | "say">,
): Promise<ExitCode> {
  const { values, positionals } = readArguments(args, OPTIONS, true);
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0) throw new UsageError("Name one directory");
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > HIGHEST_PORT)
    throw new UsageError("--port takes a port");
  const recording = await readRecording(resolve(directory));
  const served = await serveRecording(recording, {
    port,
    isWhole: values.whole,
    without: new Set(values.without ?? []),
  });
  const { agency, at } = recording.head;
  say(
    `${agency.name} (dialect ${agency.dialect}) as of ${at}, ${recording.answers.length} answers`,
  );
  await write(`${served.url}\n${served.pushUrl}`);
  if (!signal.aborted) await once(signal, "abort");
  await served.close();
  return 0;
}

/** What whoever runs the service may do to accounts without signing in. */
const adminCommand: CliCommand = {
  usage: "npm run admin -- reset-password EMAIL",
  parse(args) {
    const [action, email, ...more] = readArguments(args, {}, true).positionals;
    if (action !== "reset-password" || email === undefined || more.length > 0) {
      throw new UsageError("Name an action and the address of an account");
    }
    return (tools) => printResetLink(tools, email);
  },
};

/** As a mail has it, for an administrator whom no mail reaches. */
async function printResetLink(tools: CommandTools, email: string): Promise<0 | 1> {
  const { databaseUrl, logger, publicBaseUrl, write, say } = tools;
  const pool = await createDatabase(databaseUrl, { applicationName: "command", log: logger });
  try {
    const hmac = emailHmac(await emailKey(pool), normaliseEmail(email));
    const account = await findAccountByEmail(pool, hmac);
    const token = account && (await issueResetToken(pool, account.id, new Date(), RESET_MS));
    if (!token) {
      say("There is no account with this address");
      return 1;
    }
    await write(`${publicBaseUrl}/reset-password?token=${token}`);
    say("The link works once, within an hour");
    return 0;
  } finally {
    await pool.end();
  }
}

const PUBLISH = {
  catalogue: { type: "string", default: "" },
  to: { type: "string", default: "" },
} as const;

/** Writes a catalogue's parts to a folder of the operator's, or what changed since they were written there. */
const publishCommand: CliCommand = {
  usage: "npm run publish -- --catalogue ID --to DIR",
  parse(args) {
    const { catalogue, to } = readArguments(args, PUBLISH, false).values;
    const id = uuidOrNull(catalogue);
    if (id === null || to === "") throw new UsageError("Name a catalogue and a folder");
    return (tools) => publish(tools, id, join(resolve(to), id.toLowerCase()));
  },
};

function publish(tools: CommandTools, id: string, directory: string): Promise<ExitCode> {
  const { databaseUrl, signal, write, say } = tools;
  return runAlone(databaseUrl, `parts in ${directory}`, signal, async (running) => {
    await using session = await openSession(databaseUrl, "publish");
    const [latest] = await versionsForParts(statementsOn(session.client), id);
    if (latest === undefined || latest.isWithheld) {
      const reason = latest ? "has a restricted source" : "is not there, or has no version yet";
      say(`The catalogue ${reason}`);
      return 1;
    }
    const { version, base, changes } = await publishParts(
      session.client,
      directory,
      latest,
      running,
    );
    const files = `${base.files.length} files of version ${base.version}, ${changes.length} of changes`;
    await write(`${directory}: version ${version}, ${files}`);
    return 0;
  });
}

const COMMANDS: ReadonlyMap<string, CliCommand> = new Map([
  ["admin", adminCommand],
  ["backup", backupCommand],
  ["log", logCommand],
  ["parked", parkedCommand],
  ["publish", publishCommand],
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

/** The file to hash; null for the standard input. @throws UsageError */
function hashedFile(args: readonly string[]): string | null {
  return args.length === 1 && args[0] === "-" ? null : fileArgument(args);
}

/** Writes the SHA-256 of the canonical form of a JSON export, which the record of its version has. */
async function runHash(
  file: string | null,
  { write }: Pick<CommandTools, "write">,
): Promise<ExitCode> {
  const { sha256, count } = await hashExport(
    file === null ? process.stdin : createReadStream(file),
  );
  await write(`${sha256}  ${count} events`);
  return 0;
}

/**
 * Restores a backup to an empty database or DATA_DIR, builds the read models from the log and
 * verifies them. A failure leaves nothing behind.
 * @throws UsageError, UnusableBackup, NotEmpty, LogMismatch
 */
async function runRestore(file: string, options: CliOptions): Promise<ExitCode> {
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
async function fill(client: ClientBase, url: string, file: string, { migrations }: BackupHeader) {
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
