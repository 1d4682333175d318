import { resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Pool } from "pg";
import type { OperatedEventLog } from "#infra/log/event-log.ts";
import { openEventLog } from "#infra/log/open-log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import type { Logger } from "#infra/process/logger.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import type { Projection } from "#projections/engine/projection.ts";

/** Resources of a command; all are closed when the command has ended. */
export type CommandTools = {
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
export type CliCommand = {
  readonly usage: string;
  /**
   * Parses the arguments before any resource is opened.
   * @throws UsageError
   */
  readonly parse: (args: readonly string[]) => (tools: CommandTools) => Promise<ExitCode>;
};

/** 1 for a negative result: a difference was found, or an event could not be applied. */
export type ExitCode = 0 | 1;

/** The arguments are wrong; the message is a sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** `parseArgs` with UsageErrors as errors. */
export function readArguments<const O extends NonNullable<ParseArgsConfig["options"]>>(
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
export function fileArgument(args: readonly string[]): string {
  const [file, ...more] = readArguments(args, {}, true).positionals;
  if (file === undefined || more.length > 0) throw new UsageError("Name one file");
  return resolve(file);
}

/** The projection that is named, if one is. @throws UsageError */
export function projectionArgument(args: readonly string[]): string | undefined {
  const [name, ...more] = readArguments(args, {}, true).positionals;
  if (more.length > 0) throw new UsageError("Name one projection, or none for all");
  return name;
}

/** A whole number of at least 1. @throws UsageError */
export function countArgument(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${name} takes a number from 1 on`);
  return Number(text);
}

/** Runs `work` with connections of the command's own, whose statements may take any time. */
export async function withPool<T>(
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
export function projectionNamed(projections: readonly Projection[], name: string): Projection {
  const projection = projections.find((one) => one.name === name);
  if (projection) return projection;
  const names = projections.map((one) => one.name).join(", ");
  throw new UsageError(`There is no projection ${name}: there are ${names}`);
}

export type CliOptions = Pick<CommandTools, "signal" | "write" | "say" | "logger"> & {
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Runs `work` with the event log of a database, which is closed afterwards. */
export async function withLog<T>(
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
