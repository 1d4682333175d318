import type { ClientBase } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { EventFilters } from "#contracts/query/filters.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import type { TextRow } from "#infra/postgres/copy/text-copy.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { bulletinColumn } from "../events/bulletin-column.ts";
import { filterConditions } from "../events/event-filters.ts";
import { EVENT_COLUMN_COUNT, EVENT_COLUMNS } from "../events/event-rows.ts";
import { type ResolvedVersion, rowsOf } from "../events/resolve-version.ts";

/** Events of a version with a magnitude of some types. */
export type ConvertibleEvents = {
  readonly version: Pick<ResolvedVersion, "key" | "version">;
  readonly filters: EventFilters;
  /** In lower case. */
  readonly types: readonly string[];
};

/** Of the bulletin in a row: behind EVENT_COLUMNS. */
export const BULLETIN_PLACE = EVENT_COLUMN_COUNT;

/** Rows of EVENT_COLUMNS and the bulletin (`readCopiedBulletin`), in batches. */
export function convertibleRows(
  client: ClientBase,
  events: ConvertibleEvents,
): AsyncGenerator<TextRow[]> {
  return copyRows(
    client,
    sql.fragment`
      select ${EVENT_COLUMNS}, ${bulletinColumn()} from read_model.seismic_events
      where ${rowsOf(events.version)} and ${isConvertible(events)}`,
  );
}

const OthersRow = z.object({
  convertible: z.int(),
  least: z.number().nullable(),
  greatest: z.number().nullable(),
});

/** The number of these events, and the least and greatest magnitude of all others of the version. */
export function besideConvertible(
  client: ClientBase,
  events: ConvertibleEvents,
): Promise<z.infer<typeof OthersRow>> {
  return statementsOn(client).one(sql.type(OthersRow)`
    select (count(*) filter (where convertible))::int as convertible,
      min(magnitude) filter (where not convertible) as least,
      max(magnitude) filter (where not convertible) as greatest
    from (
      select magnitude, coalesce(${isConvertible(events)}, false) as convertible
      from read_model.seismic_events where ${rowsOf(events.version)}
    ) e`);
}

function isConvertible({ filters, types }: ConvertibleEvents): FragmentSqlToken {
  return sql.fragment`(magnitude is not null
    and lower(magnitude_type) = any(${sql.array([...types], "text")})
    and ${filterConditions(filters)})`;
}
