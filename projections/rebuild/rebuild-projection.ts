import type { Pool } from "pg";
import type { EventLog } from "#infra/event-log/event-log.ts";
import { sleep } from "#infra/postgres/backoff.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import type { Projection } from "../projection.ts";
import { addIndexes, createAsideTables, dropAsideTables } from "./aside-tables.ts";
import { fillAside } from "./fill-aside.ts";
import { switchTables } from "./switch-tables.ts";
import { readDefinitions } from "./table-definitions.ts";

/** What a rebuild is at; `waiting for readers` as long as one of them holds a table, as a large export does. */
export type RebuildPhase = "filling" | "indexing" | "switching" | "waiting for readers";

export type RebuildDeps = {
  readonly log: Pick<EventLog, "subscribe" | "eventAt" | "head">;
  /** Not the pool of the live projection; its statements take as long as an index does. */
  readonly pool: Pool;
  readonly signal: AbortSignal;
  readonly onPhase: (phase: RebuildPhase) => void;
  /** The live tables were made from another log, or from more of it: what they show may disappear. */
  readonly replacesMismatch?: boolean;
};

const RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;

export function rebuildSchema({ name }: Projection): string {
  return `rebuild_${name}`;
}

/**
 * Builds the read model of a projection anew from the start of the log, in tables of its own, and
 * puts them in the place of the live ones, which serve until then. Wherever this is cut off, they
 * go on serving, and the next rebuild begins again. The caller makes sure that there is one at a time.
 * @see infra/decisions, "Rebuilding read models beside the live ones"
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
