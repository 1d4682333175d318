import { once } from "node:events";
import { createReadStream } from "node:fs";
import { join, resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import type { ClientBase, Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type ImportDetail, SERVICE_DIALECTS } from "#contracts/events/imports.ts";
import { catalogueStream } from "#contracts/events/log.ts";
import type { ParkedSubject } from "#contracts/http/audit.ts";
import { createAgencyClient } from "#infra/agency/agency-client.ts";
import { type AgencyQuery, dialectOf } from "#infra/agency/query.ts";
import { createRecording, readRecording } from "#infra/agency/recording/recording.ts";
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
import { readableEvent } from "#infra/log/domain-events.ts";
import {
  type Batch,
  eventsToHead,
  LogMismatch,
  type OperatedEventLog,
  type Position,
  START,
  unverified,
} from "#infra/log/event-log.ts";
import { adoptLog, readKnownLog, requireKnownLog } from "#infra/log/known-log.ts";
import { openEventLog } from "#infra/log/open-log.ts";
import { openSession, type Session } from "#infra/postgres/connection.ts";
import { runAlone } from "#infra/postgres/coordination.ts";
import { removeCluster, requireNoCluster } from "#infra/postgres/embedded/cluster.ts";
import { startEmbeddedPostgres, visitEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { appliedMigrations, migrate } from "#infra/postgres/migrations/migrate.ts";
import { createDatabase, createPgPool } from "#infra/postgres/pool.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import type { Logger } from "#infra/process/logger.ts";
import { issueResetToken, RESET_MS } from "#infra/vault/credentials.ts";
import { emailHmac, emailKey } from "#infra/vault/personal-data.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import type { Projection } from "#projections/engine/projection.ts";
import { listParked, retryParked, StillParked } from "#projections/engine/run.ts";
import { findAccountByEmail } from "#projections/read/accounts.ts";
import { versionsForParts } from "#projections/read/exports.ts";
import { uuidOrNull } from "#projections/read/lists.ts";
import {
  holds,
  rebuildProjection,
  type TableComparison,
  type Verification,
  verifyProjection,
} from "#projections/rebuild/rebuild.ts";
import { normaliseEmail } from "#services/domain/accounts/fields.ts";
import { publishParts } from "#services/parts/publish.ts";
import { type HashVerification, hashExport, verifyHashes } from "../versions/hashes.ts";

/** Resources of a command; all are closed when the command has ended. */
type CommandTools = {
  readonly databaseUrl: string;
  /** The address that users reach the service at. */
  readonly publicBaseUrl: string;
  readonly log: OperatedEventLog;
  readonly projections: readonly Projection[];
  readonly logger: Logger;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Writes a line of the result; resolves when the next may follow. */
  readonly write: (line: string) => Promise<void>;
  /** Writes a line about the run, separate from the result. */
  readonly say: (line: string) => void;
};

/** A command that runs outside the service. */
type CliCommand = {
  readonly usage: string;
  /**
   * Parses the arguments before any resource is opened.
   * @throws UsageError
   */
  readonly parse: (args: readonly string[]) => (tools: CommandTools) => Promise<ExitCode>;
};

/** 1 for a negative result: a difference was found, or an event could not be applied. */
type ExitCode = 0 | 1;

/** The arguments are wrong; the message is a sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** `parseArgs` with UsageErrors as errors. */
function readArguments<const O extends NonNullable<ParseArgsConfig["options"]>>(
  args: readonly string[],
  options: O,
  allowPositionals: boolean,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** The one file that a command is about. @throws UsageError */
function fileArgument(args: readonly string[]): string {
  const [file, ...more] = readArguments(args, {}, true).positionals;
  if (file === undefined || more.length > 0) throw new UsageError("Name one file");
  return resolve(file);
}

/** The projection that is named, if one is. @throws UsageError */
function projectionArgument(args: readonly string[]): string | undefined {
  const [name, ...more] = readArguments(args, {}, true).positionals;
  if (more.length > 0) throw new UsageError("Name one projection, or none for all");
  return name;
}

/** A whole number of at least 1. @throws UsageError */
function countArgument(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${name} takes a number from 1 on`);
  return Number(text);
}

/** Runs `work` with connections of the command's own, whose statements may take any time. */
async function withPool<T>(
  { databaseUrl }: CommandTools,
  applicationName: string,
  work: (pool: Pool) => Promise<T>,
): Promise<T> {
  const pool = createPgPool(databaseUrl, { applicationName, statementTimeoutMs: 0 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** @throws UsageError for an unknown name */
function projectionNamed(projections: readonly Projection[], name: string): Projection {
  const projection = projections.find((one) => one.name === name);
  if (projection) return projection;
  const names = projections.map((one) => one.name).join(", ");
  throw new UsageError(`There is no projection ${name}: there are ${names}`);
}

type CliOptions = Pick<CommandTools, "signal" | "write" | "say" | "logger"> & {
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Runs `work` with the event log of a database, which is closed afterwards. */
async function withLog<T>(
  place: Pick<CommandTools, "databaseUrl" | "publicBaseUrl"> & {
    readonly eventStoreUrl: string | null;
  },
  { signal, write, say, logger }: CliOptions,
  work: (tools: CommandTools) => Promise<T>,
): Promise<T> {
  const options = { applicationName: "command", maxConnections: 3, log: logger };
  const log = await openEventLog({ ...place, ...options });
  const { databaseUrl, publicBaseUrl } = place;
  try {
    return await work({
      databaseUrl,
      publicBaseUrl,
      log,
      projections: ALL_PROJECTIONS,
      signal,
      write,
      say,
      logger,
    });
  } finally {
    await log.close();
  }
}

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

const RECORD_USAGE = `npm run agency:record -- DIR --url URL --start TIME --end TIME [options]
  --url URL          the event service: https://…/fdsnws/event/1
  --name NAME        as people read it; by default the host
  --dialect NAME     ${SERVICE_DIALECTS.join(", ")}; by default what its host speaks
  --start, --end     the window, ISO 8601
  --detail KIND      full, summary, or both, which a schedule needs (default)
  --min-magnitude M  the smallest magnitude
  --timeout SECONDS  the longest silence (30)
Writes what the agency answers to our client into DIR, which npm run agency:serve serves.`;

const RECORD_OPTIONS = {
  url: { type: "string" },
  name: { type: "string" },
  dialect: { type: "string" },
  start: { type: "string" },
  end: { type: "string" },
  detail: { type: "string", default: "both" },
  "min-magnitude": { type: "string" },
  timeout: { type: "string", default: "30" },
} as const;

type RunTools = Pick<CommandTools, "signal" | "write" | "say">;

/** @throws UsageError */
function parseRecord(args: readonly string[]) {
  const { values, positionals } = readArguments(args, RECORD_OPTIONS, true);
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0) throw new UsageError("Name one directory");
  const { url, start, end } = values;
  if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new UsageError("--url takes the http or https address of an event service");
  }
  if (start === undefined || end === undefined)
    throw new UsageError("--start and --end are needed");
  const dialect = SERVICE_DIALECTS.find((one) => one === (values.dialect ?? dialectOf(url)));
  if (dialect === undefined) {
    throw new UsageError(`--dialect takes one of ${SERVICE_DIALECTS.join(", ")}`);
  }
  const minMagnitude =
    values["min-magnitude"] === undefined ? null : Number(values["min-magnitude"]);
  const timeoutMs = Number(values.timeout) * 1_000;
  if (Number.isNaN(minMagnitude)) throw new UsageError("--min-magnitude takes a number");
  if (!(timeoutMs > 0)) throw new UsageError("--timeout takes a number of seconds");
  return {
    directory: resolve(directory),
    agency: { name: values.name ?? new URL(url).host, url, dialect },
    details: detailsOf(values.detail),
    query: { startTime: start, endTime: end, minMagnitude },
    timeoutMs,
  };
}

function detailsOf(text: string): readonly ImportDetail[] {
  switch (text) {
    case "full":
    case "summary":
      return [text];
    case "both":
      return ["summary", "full"];
    default:
      throw new UsageError("--detail takes full, summary or both");
  }
}

/**
 * Records what an agency answers for a window, by the requests that an import makes.
 * @throws UsageError, RecordingExists, and what the client throws
 */
async function runRecord(args: readonly string[], tools: RunTools): Promise<ExitCode> {
  const { directory, agency, details, query, timeoutMs } = parseRecord(args);
  const recording = await createRecording(directory, agency);
  const client = createAgencyClient({
    ...agency,
    timeoutMs,
    userAgent: "earthquake-catalogue-service/recorder",
    breaker: { run: (request) => request() },
    through: recording.record,
  });
  try {
    for (const detail of details) await fetchAll(client, { ...query, detail }, tools);
    if (details.length > 1) await listAll(client, { ...query, detail: "full" }, tools.signal);
  } finally {
    client.close();
    const { answers, bytes } = recording.counts();
    tools.say(`${answers} answers, ${(bytes / 1e6).toFixed(1)} MB, are in ${directory}`);
  }
  await tools.write(directory);
  return 0;
}

async function fetchAll(
  client: ReturnType<typeof createAgencyClient>,
  query: AgencyQuery,
  { signal, say }: RunTools,
): Promise<void> {
  let events = 0;
  try {
    for await (const batch of client.fetchEvents(query, { signal })) {
      events += batch.events.length;
      say(
        `${query.detail}: ${events} events, ${batch.progress.done} of ${batch.progress.total} windows`,
      );
    }
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`${error.message}`, { cause: error });
    throw error;
  }
}

/** As a schedule lists what there is. */
async function listAll(
  client: ReturnType<typeof createAgencyClient>,
  query: AgencyQuery,
  signal: AbortSignal,
): Promise<void> {
  for await (const _window of client.listEvents(query, { signal }));
}

const LOG_OPTIONS = {
  catalogue: { type: "string" },
  stream: { type: "string" },
  after: { type: "string" },
  limit: { type: "string" },
  follow: { type: "boolean", default: false },
  events: { type: "boolean", default: false },
} as const;

/** Prints the log, one readable JSON line per event. */
const logCommand: CliCommand = {
  usage:
    "npm run log -- [--catalogue <id> | --stream <name>] [--after <position>] [--limit <n>] [--events] [--follow]",
  parse(args) {
    const wanted = wantedOf(args);
    return (tools) => printEvents(tools, wanted);
  },
};

type Wanted = ReturnType<typeof wantedOf>;

function wantedOf(args: readonly string[]) {
  const { values } = readArguments(args, LOG_OPTIONS, false);
  const { catalogue, stream, after = START, limit, follow, events } = values;
  if (catalogue !== undefined && stream !== undefined) {
    throw new UsageError("Give --catalogue or --stream, not both");
  }
  return {
    after: after as Position,
    limit: limit === undefined ? Number.POSITIVE_INFINITY : countArgument("limit", limit),
    follow,
    /** Includes the records of chunks. */
    events,
    isWanted: streamFilter(catalogue, stream),
  };
}

/** Selects a catalogue's decision stream and the chunk streams of its revisions. */
function streamFilter(catalogue?: string, stream?: string): (name: string) => boolean {
  if (stream !== undefined) return (name) => name === stream;
  if (catalogue === undefined) return () => true;
  const decisions = catalogueStream(catalogue.toLowerCase());
  return (name) => name === decisions || name.startsWith(`${decisions}-`);
}

async function printEvents(tools: CommandTools, wanted: Wanted): Promise<0> {
  let left = wanted.limit;
  for await (const { events } of batches(tools, wanted)) {
    for (const event of events) {
      if (!wanted.isWanted(event.stream)) continue;
      await tools.write(JSON.stringify(readableEvent(event, wanted)));
      left -= 1;
      if (left === 0) return 0;
    }
  }
  return 0;
}

function batches({ log, signal }: CommandTools, { after, follow }: Wanted): AsyncIterable<Batch> {
  return follow
    ? log.subscribe({ after: unverified(after), signal })
    : eventsToHead(log, after, signal);
}

/**
 * Commands about the read models: built again from the log, compared with it, and the events
 * that they could not apply.
 */

/** A process of the service is connected to the database. */
class ServiceRunning extends Error {
  override readonly name = "ServiceRunning";
}

/** Names of connections, besides leases, that processes of the service keep while they run. */
const OF_SERVICE = ["gateway presence", "event-log listener", "log watch"];

const Row = z.object({ name: z.string() });

/** @throws ServiceRunning */
async function requireStopped(pool: Pick<Pool, "query">): Promise<void> {
  const rows = await statementsOn(pool).any(sql.type(Row)`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (application_name = any(${sql.array(OF_SERVICE, "text")})
        or application_name like 'lease %')`);
  const names = rows.map(({ name }) => name);
  if (names.length === 0) return;
  throw new ServiceRunning(
    `Stop every process of the service first; connected to the database: ${names.join(", ")}`,
  );
}

/**
 * Rebuilds read models in separate tables and replaces the live ones. If they were built from
 * another log, all of them are rebuilt from the present one, while no service runs.
 */
const rebuildCommand: CliCommand = {
  usage: "npm run rebuild [-- <projection>]",
  parse(args) {
    const name = projectionArgument(args);
    return (tools) => rebuild(tools, name);
  },
};

function rebuild(tools: CommandTools, name: string | undefined): Promise<ExitCode> {
  const { log, projections } = tools;
  return withPool<ExitCode>(tools, "rebuild", async (pool) => {
    const mismatch = await findMismatch(tools, pool);
    if (mismatch === null) {
      const chosen = name === undefined ? projections : [projectionNamed(projections, name)];
      for (const projection of chosen) await rebuildOne(tools, pool, projection, false);
      return 0;
    }
    if (name !== undefined) throw mismatch;
    await requireStopped(pool);
    tools.say(mismatch.message);
    for (const projection of projections) await rebuildOne(tools, pool, projection, true);
    await adoptLog(log, pool, () => new Date());
    await tools.write("The read models are those of the log as it is.");
    return 0;
  });
}

async function findMismatch({ log }: CommandTools, pool: Pool): Promise<LogMismatch | null> {
  try {
    await requireKnownLog(log, pool);
    return null;
  } catch (error) {
    if (error instanceof LogMismatch) return error;
    throw error;
  }
}

async function rebuildOne(
  { databaseUrl, log, say, signal, write }: CommandTools,
  pool: Pool,
  projection: Projection,
  replacesMismatch: boolean,
): Promise<void> {
  const { name } = projection;
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1_000).toFixed(1);
  const onPhase = (phase: string): void => say(`${seconds()} s: ${phase}`);
  await runAlone(databaseUrl, `rebuild ${name}`, signal, (either) =>
    rebuildProjection({ log, pool, signal: either, onPhase, replacesMismatch }, projection),
  );
  await write(`The read model of ${name} was rebuilt in ${seconds()} s and is being served.`);
}

/**
 * Compares read models with a rebuild from the log; exit code 1 when they differ, or when they were
 * built from another log.
 */
const verifyCommand: CliCommand = {
  usage: "npm run verify [-- <projection>]",
  parse(args) {
    const name = projectionArgument(args);
    return (tools) => verify(tools, name);
  },
};

function verify(tools: CommandTools, name: string | undefined): Promise<ExitCode> {
  const { databaseUrl, log, projections } = tools;
  const chosen = name === undefined ? projections : [projectionNamed(projections, name)];
  return withPool(tools, "verify", async (pool) => {
    await requireKnownLog(log, pool);
    let same = true;
    for (const projection of chosen) {
      const task = `verify ${projection.name}`;
      const verification = await runAlone(databaseUrl, task, tools.signal, (signal) =>
        verifyProjection({ log, pool, signal }, projection),
      );
      for (const line of linesOf(verification)) await tools.write(line);
      same &&= holds(verification);
    }
    const hashes = await verifyHashes(pool, tools.signal);
    for (const line of hashLines(hashes)) await tools.write(line);
    return same && hashes.wrong.length === 0 ? 0 : 1;
  });
}

function* linesOf(verification: Verification): Generator<string> {
  const { projection, position, tables, revisions, parked } = verification;
  const outcome = holds(verification) ? "as the log says" : "NOT as the log says";
  yield `${projection}: ${outcome}, at ${position || "the start of the log"}`;
  for (const table of tables) yield* tableLines(table);
  if (revisions.checked > 0) {
    yield `  content hashes: ${revisions.checked} revisions, ${revisions.wrong.length} wrong`;
  }
  for (const { catalogueId, revision, recorded, computed } of revisions.wrong) {
    yield `    revision ${revision} of ${catalogueId}: recorded ${recorded}, computed ${computed}`;
  }
  if (parked.live > 0 || parked.rebuilt > 0) {
    yield `  parked events: ${parked.live} live, ${parked.rebuilt} rebuilt`;
  }
}

function* hashLines({ checked, gone, wrong }: HashVerification): Generator<string> {
  if (checked + gone === 0) return;
  const left = gone > 0 ? `, ${gone} of versions that are gone` : "";
  yield `versions: ${checked} hashes computed again, ${wrong.length} wrong${left}`;
  for (const { catalogueId, version, remembered, computed } of wrong) {
    yield `  version ${version} of ${catalogueId}: remembered ${remembered}, computed ${computed}`;
  }
}

function* tableLines({ table, live, rebuilt, differences, differing }: TableComparison) {
  yield `  ${table}: ${live.rows} rows, sha256 ${live.hash}`;
  if (differing === 0) return;
  yield `    rebuilt: ${rebuilt.rows} rows, sha256 ${rebuilt.hash}; ${differing} rows differ`;
  for (const { key, kind, columns } of differences) {
    yield `    ${key}: ${kind}${columns ? ` in ${columns.join(", ")}` : ""}`;
  }
  if (differing > differences.length) yield `    and ${differing - differences.length} more`;
}

const PARKED_OPTIONS = {
  retry: { type: "string" },
  all: { type: "boolean", default: false },
} as const;

type Chosen = (parked: ParkedSubject) => boolean;

/** Lists the subjects blocked by parked events, or retries them. */
const parkedCommand: CliCommand = {
  usage: "npm run parked [-- --retry <id> | --all]",
  parse(args) {
    const { values } = readArguments(args, PARKED_OPTIONS, false);
    const { retry: id, all } = values;
    if (id !== undefined && all) throw new UsageError("Give --retry or --all, not both");
    if (id !== undefined) return (tools) => retryChosen(tools, (parked) => parked.id === id);
    return all ? (tools) => retryChosen(tools, () => true) : printParked;
  },
};

async function printParked(tools: CommandTools): Promise<0> {
  await withPool(tools, "parked", async (pool) => {
    for (const parked of await listParked(pool)) await tools.write(JSON.stringify(parked));
  });
  return 0;
}

/** Retries each subject separately, so that a failure does not stop the others. */
async function retryChosen(tools: CommandTools, isChosen: Chosen): Promise<ExitCode> {
  const { log, projections, write, say } = tools;
  return withPool(tools, "parked", async (pool) => {
    const chosen = (await listParked(pool)).filter(isChosen);
    if (chosen.length === 0) say("Nothing is parked");
    let exitCode: ExitCode = 0;
    for (const parked of chosen) {
      try {
        const applied = await retryParked(pool, log, projections, parked);
        await write(`${parked.subject}: ${applied} events applied`);
      } catch (error) {
        if (!(error instanceof StillParked)) throw error;
        say(error.message);
        exitCode = 1;
      }
    }
    return exitCode;
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
