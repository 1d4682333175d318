import type { EventLog } from "#infra/event-log/event-log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { dumpReadModel, rebuildReadModel } from "../integration/catalogues/read-model.ts";

/**
 * The read model rebuilt from the log equals the live one, row for row. No projector may run.
 * @returns what is wrong
 */
export async function checkReadModel(databaseUrl: string, log: EventLog): Promise<string[]> {
  const pool = createPgPool(databaseUrl, { applicationName: "torture", statementTimeoutMs: 0 });
  try {
    const live = await dumpReadModel(pool);
    await rebuildReadModel(pool, log);
    const rebuilt = await dumpReadModel(pool);
    return Object.entries(live).flatMap(([table, rows]) => {
      const again = rebuilt[table] ?? [];
      const differing = rows.findIndex(
        (row, i) => JSON.stringify(row) !== JSON.stringify(again[i]),
      );
      return rows.length === again.length && differing < 0
        ? []
        : [`rebuilt, ${table} has ${again.length} rows of ${rows.length}; first ${differing}`];
    });
  } finally {
    await pool.end();
  }
}
