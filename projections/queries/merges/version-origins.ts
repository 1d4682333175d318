import type { ClientBase } from "pg";
import { sql } from "slonik";
import type { EventFilters } from "#contracts/query/filters.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import type { TextRow } from "#infra/postgres/copy/text-copy.ts";
import { filterConditions } from "../events/event-filters.ts";
import { rowsOf, type VersionRows } from "../events/resolve-version.ts";
import { PLACED_COLUMNS } from "./merge-sources.ts";

/** Rows of event_id, time, latitude, longitude and magnitude of a version's events, by time, then id. */
export function versionOrigins(
  client: ClientBase,
  version: VersionRows,
  filters: EventFilters,
): AsyncGenerator<TextRow[]> {
  return copyRows(
    client,
    sql.fragment`
      select event_id, time, latitude, longitude, magnitude from read_model.seismic_events
      where ${rowsOf(version)} and ${filterConditions(filters)} order by time, event_id`,
  );
}

/** The columns for showing an event among its duplicates. */
export const DUPLICATE_COLUMNS = [...PLACED_COLUMNS, "source_id"] as const;

/** Rows of DUPLICATE_COLUMNS of the version's events with these ids, in no particular order. */
export function duplicateRows(
  client: ClientBase,
  version: VersionRows,
  ids: readonly string[],
): AsyncGenerator<TextRow[]> {
  const columns = sql.join(
    DUPLICATE_COLUMNS.map((name) => sql.identifier([name])),
    sql.fragment`, `,
  );
  return copyRows(
    client,
    sql.fragment`
      select ${columns} from read_model.seismic_events
      where ${rowsOf(version)} and event_id = any(${sql.array([...ids], "uuid")})`,
  );
}
