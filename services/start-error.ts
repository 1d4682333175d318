import { join, resolve } from "node:path";
import type { Config } from "#infra/config/config.ts";
import { isDiskFull } from "#infra/postgres/failures.ts";
import { MigrationRefused } from "#infra/postgres/migrations/migrate.ts";
import { PostgresTooOld } from "#infra/postgres/migrations/require-server-version.ts";

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
