import type { Pool } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import type { EventFilters } from "#contracts/query/filters.ts";
import { type Statements, statementsOn } from "#infra/postgres/statements.ts";
import { filterConditions } from "../events/event-filters.ts";
import { type VersionRows, visibleAt } from "../events/resolve-version.ts";

/** The events of an analysis: those of one version that satisfy the filters. */
export type AnalysisSelection = {
  readonly version: VersionRows;
  readonly filters: EventFilters;
};

/** Their rows, for a statement's `from`. */
export function selectedEvents({ version, filters }: AnalysisSelection): FragmentSqlToken {
  return sql.fragment`read_model.seismic_events
    where ${visibleAt(version)} and ${filterConditions(filters)}`;
}

/** Times as ISO 8601 with microseconds, so that texts compare, as `start` and `end`. */
export function asTimes(first: FragmentSqlToken, last: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    to_char(${first} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as start,
    to_char(${last} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "end"`;
}

/** The first and last time of a group of rows. */
export const TIMES_OF_GROUP = asTimes(sql.fragment`min(time)`, sql.fragment`max(time)`);

/**
 * A number of a row divided by a width, for its bin. PostgreSQL refuses quotients too small for a
 * double, which are as good as 0.
 */
export function inWidths(value: FragmentSqlToken, width: number): FragmentSqlToken {
  return sql.fragment`
    (case when abs(${value}) < 1e-300 then 0 else ${value} end / ${width}::double precision)`;
}

/** A magnitude's bin ⌊m / binWidth + 0.5 + 10⁻¹²⌋, as `binOf` has it, or with width 0 itself. */
export function magnitudeBin(binWidth: number): FragmentSqlToken {
  const magnitude = sql.fragment`magnitude`;
  return binWidth === 0
    ? magnitude
    : sql.fragment`floor(${inWidths(magnitude, binWidth)} + (0.5 + 1e-12::double precision))`;
}

/** Statements for one aggregate, planned for the filters' actual values. */
export function aggregates(pool: Pick<Pool, "query">): Pick<Statements, "any" | "one"> {
  return statementsOn(pool as Parameters<typeof statementsOn>[0]);
}
