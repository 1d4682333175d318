import type { PoolUse } from "#infra/metrics/pool-metrics.ts";
import { SILENT } from "../kernel/log.ts";
import { createPipelinedConnections } from "./pipelined-connections.ts";
import { clientConfig, type DatabaseOptions } from "./pool.ts";
import { createStatements, parameterSql, type SqlToken, type Statements } from "./statements.ts";

/** Frequent statements, of few texts: each connection plans a text once for all its values. */
export type PreparedStatements = Statements & {
  readonly inUse: () => PoolUse;
  readonly close: () => Promise<void>;
};

/** Plans by index also suit a table that has grown since. Compilation takes longer than reads. */
export const PREPARED_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_sort: "off",
  jit: "off",
};

const SECOND = 1_000;

export type PreparedOptions = DatabaseOptions & {
  /**
   * A connection on which an answer is awaited and no byte arrives for so long is cut. Default 6 s:
   * these are lookups by index, and a request is answered within 10 s.
   */
  readonly quietMs?: number;
};

const QUIET_MS = 6 * SECOND;

/**
 * Queries without slonik, which takes twice as long for a lookup as PostgreSQL itself (measured: 0.2
 * ms) and gives each query the connection that was idle longest. Writes wait for the disk, so they
 * have separate connections and do not delay reads.
 */
export function createPreparedStatements(
  url: string,
  options: PreparedOptions,
): PreparedStatements {
  const connections = createPipelinedConnections(
    {
      ...clientConfig(url, { ...options, settings: PREPARED_SETTINGS }),
      connectionTimeoutMillis: 5 * SECOND,
      keepAliveInitialDelayMillis: 10 * SECOND,
    },
    {
      max: options.maxConnections ?? 4,
      log: options.log ?? SILENT,
      quietMs: options.quietMs ?? QUIET_MS,
    },
  );
  const plans = new Map<string, { readonly name: string; readonly text: string }>();

  function prepared(query: SqlToken) {
    const plan = plans.get(query.sql) ?? {
      name: `statement_${plans.size}`,
      text: parameterSql(query).text,
    };
    plans.set(query.sql, plan);
    return { ...plan, values: [...query.values] };
  }

  const statements = createStatements(async (query) => {
    const { rows } = await connections.use((client) => client.query(prepared(query)));
    return rows;
  });
  return { ...statements, inUse: connections.inUse, close: connections.close };
}
