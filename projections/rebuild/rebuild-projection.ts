import type { Pool } from "pg";
import type { EventLog } from "#infra/event-log/event-log.ts";
import { sleep } from "#infra/kernel/backoff.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import type { Projection } from "../engine/projection.ts";
import { addIndexes, createAsideTables, dropAsideTables } from "./aside-tables.ts";
import { fillAside } from "./fill-aside.ts";
import { switchTables } from "./switch-tables.ts";
import { readDefinitions } from "./table-definitions.ts";

/**
 * The phases of a rebuild; `waiting for readers` while a reader, such as a large export, holds a
 * table.
 */
export type RebuildPhase = "filling" | "indexing" | "switching" | "waiting for readers";

export type RebuildDeps = {
  readonly log: Pick<EventLog, "subscribe" | "eventAt" | "head">;
  /**
   * A pool other than that of the live projection; its statements may take as long as building an
   * index.
   */
  readonly pool: Pool;
  readonly signal: AbortSignal;
  readonly onPhase: (phase: RebuildPhase) => void;
  /**
   * Set when the live tables were built from another log, or a longer one: rows that were visible
   * may disappear.
   */
  readonly replacesMismatch?: boolean;
};

const RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;

export function rebuildSchema({ name }: Projection): string {
  return `rebuild_${name}`;
}

/**
 * Rebuilds a projection's read model from the start of the log in separate tables, and then replaces
 * the live tables, which serve until then. When a rebuild is interrupted, they continue to serve,
 * and the next rebuild starts again. The caller prevents concurrent rebuilds.
 * @see infra/decisions/0014-rebuilding-read-models.md
 * @throws RebuildRefused
 */
export async function rebuildProjection(deps: RebuildDeps, projection: Projection): Promise<void> {
  const { log, pool, signal, onPhase, replacesMismatch = false } = deps;
  const schema = rebuildSchema(projection);
  const definitions = await readDefinitions(statementsOn(pool), projection.tables);
  await createAsideTables(pool, schema, definitions);
  try {
    const filling = fillAside(deps, projection, schema);
    onPhase("filling");
    await filling.upTo(await log.head());
    onPhase("indexing");
    await addIndexes(pool, schema, definitions);
    onPhase("switching");
    for (let wait = RETRY_MS; ; wait = Math.min(2 * wait, MAX_RETRY_MS)) {
      await filling.upTo(await log.head());
      signal.throwIfAborted();
      const prepared = { schema, definitions, filling, replacesMismatch };
      if (await switchTables(pool, projection, prepared)) return;
      onPhase("waiting for readers");
      await sleep(wait, signal);
    }
  } finally {
    await dropAsideTables(pool, schema);
  }
}
