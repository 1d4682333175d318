import type { EventLog } from "#infra/event-log/event-log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { holds, verifyProjection } from "#projections/rebuild/verify-projection.ts";

/**
 * Every read model equals what the log makes of it anew, row for row and hash for hash.
 * @returns what is wrong
 */
export async function checkReadModel(databaseUrl: string, log: EventLog): Promise<string[]> {
  const pool = createPgPool(databaseUrl, { applicationName: "torture", statementTimeoutMs: 0 });
  const { signal } = new AbortController();
  const losses: string[] = [];
  try {
    for (const projection of ALL_PROJECTIONS) {
      const verification = await verifyProjection({ log, pool, signal }, projection);
      if (!holds(verification)) losses.push(`rebuilt: ${JSON.stringify(verification)}`);
    }
    return losses;
  } finally {
    await pool.end();
  }
}
