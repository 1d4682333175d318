import { join, resolve } from "node:path";
import { type Config, ConfigError } from "#infra/config/config.ts";
import { LogMismatch } from "#infra/log/event-log.ts";
import { UnusableEventStore } from "#infra/log/known-log.ts";
import { DataDirInUse } from "#infra/postgres/embedded/embedded.ts";
import { isDiskFull } from "#infra/postgres/failures.ts";
import { MigrationRefused, PostgresTooOld } from "#infra/postgres/migrations/migrate.ts";

/** A configured resource cannot be used. */
export class StartError extends Error {
  override readonly name = "StartError";

  constructor(variable: string, cause: unknown) {
    const reason = cause instanceof Error && cause.message !== "" ? cause.message : String(cause);
    super(`${variable} cannot be used: ${reason}`, { cause });
  }
}

/**
 * Explains an error of the database itself by the variable that configures it; returns other errors
 * unchanged.
 */
export function databaseMistake(
  { databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">,
  cause: unknown,
): unknown {
  const variable = databaseUrl === null ? "DATA_DIR" : "DATABASE_URL";
  if (isDiskFull(cause)) {
    const place = databaseUrl === null ? join(resolve(dataDir), "postgres") : "the database";
    return new StartError(variable, new Error(`the disk of ${place} is full (ENOSPC)`, { cause }));
  }
  const isRefused = cause instanceof MigrationRefused || cause instanceof PostgresTooOld;
  return isRefused ? new StartError(variable, cause) : cause;
}

/** A mistake in the configuration gets a sentence that names the variable, without a stack. */
export function explain(error: unknown): unknown {
  const isMistake =
    error instanceof ConfigError ||
    error instanceof DataDirInUse ||
    error instanceof LogMismatch ||
    error instanceof StartError;
  if (isMistake) return error.message;
  if (error instanceof UnusableEventStore) return new StartError("EVENTSTORE_URL", error).message;
  const syscall = error instanceof Error && "syscall" in error ? error.syscall : null;
  if (syscall === "listen") return new StartError("PORT", error).message;
  if (syscall === "getaddrinfo") return new StartError("HOST", error).message;
  return error;
}
