import type { Pool } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import type { EventFilters } from "#contracts/query/filter-parameters.ts";
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

/** The first and last time of a group of rows, as ISO 8601 with microseconds, so that texts compare. */
export const TIMES_OF_GROUP = sql.fragment`
  to_char(min(time) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as start,
  to_char(max(time) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "end"`;

/** Statements for one aggregate, planned for the filters' actual values. */
export function aggregates(pool: Pick<Pool, "query">): Pick<Statements, "any" | "one"> {
  return statementsOn(pool as Parameters<typeof statementsOn>[0]);
}
