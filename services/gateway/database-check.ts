import type { DatabasePool } from "slonik";
import { isDiskFull } from "#infra/postgres/failures.ts";
import { NotWritable, requireWritable } from "#infra/postgres/require-writable.ts";
import { type Check, probe } from "./readiness.ts";

/** Healthy while the database answers and takes changes. */
export function databaseCheck(pool: DatabasePool): Check {
  return probe(() => requireWritable(pool), failureOf);
}

function failureOf(error: unknown): string {
  if (isDiskFull(error)) return "The disk of the database is full: no change can be stored";
  if (error instanceof NotWritable) return "The database is read-only: no change can be stored";
  return "The database does not answer";
}
