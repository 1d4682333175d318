import type { CommonQueryMethods, FragmentSqlToken } from "slonik";
import type { PoolUse } from "#infra/metrics/pool-metrics.ts";
import { connectionUrl } from "./connection-url.ts";
import { SILENT } from "./log.ts";
import { createPipelinedConnections } from "./pipelined-connections.ts";
import type { DatabaseOptions } from "./pool.ts";
import { validRow } from "./row-validation.ts";
import { PG_TYPE_PARSERS } from "./type-parsers.ts";

/** Rows validated by the query's schema; slonik's pools give them too. */
export type Statements = Pick<CommonQueryMethods, "any" | "maybeOne">;
export type Lookups = Pick<Statements, "maybeOne">;

/**
 * Short statements that are asked all the time, most of them reads. Each is planned once for a
 * connection, whatever its values, so there may be only few texts: values are parameters.
 */
export type PreparedStatements = Statements & {
  readonly inUse: () => PoolUse;
  readonly close: () => Promise<void>;
};

/**
 * The plan is the same for a small table and for what it grows to before it is next analysed: rows are
 * found, and put in order, by an index. Compiling would take longer than any of these reads.
 */
export const PREPARED_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_sort: "off",
  jit: "off",
};

const SECOND = 1_000;

type Statement = { readonly name: string; readonly text: string };
type Asked = Pick<FragmentSqlToken, "sql" | "values">;

/**
 * Asks without slonik, which takes twice as long about a lookup as PostgreSQL does (measured: 0.2 ms),
 * and gives every query the connection that has been idle longest. Writes wait for the disk, and have
 * connections of their own lest reads wait behind them.
 */
export function createPreparedStatements(
  url: string,
  options: DatabaseOptions,
): PreparedStatements {
  const connections = createPipelinedConnections(
    {
      connectionString: connectionUrl(url, options.applicationName, PREPARED_SETTINGS),
      connectionTimeoutMillis: 5 * SECOND,
      statement_timeout: options.statementTimeoutMs ?? 60 * SECOND,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * SECOND,
      types: PG_TYPE_PARSERS,
      ...(options.openSocket && { stream: options.openSocket }),
    },
    { max: options.maxConnections ?? 4, log: options.log ?? SILENT },
  );
  const statements = new Map<string, Statement>();

  function prepared({ sql, values }: Asked) {
    const statement = statements.get(sql) ?? {
      name: `statement_${statements.size}`,
      text: sql.replaceAll("$slonik_", "$"),
    };
    statements.set(sql, statement);
    return { ...statement, values: [...values] };
  }

  const any: PreparedStatements["any"] = async (query) => {
    const { rows } = await connections.use((client) => client.query(prepared(query)));
    return rows.map((row) => validRow(query.parser, query, row)) as never;
  };

  return {
    any,
    async maybeOne(query) {
      const rows = await any(query);
      if (rows.length > 1) throw new Error("a lookup has found more than one row");
      return rows[0] ?? null;
    },
    inUse: connections.inUse,
    close: connections.close,
  };
}
