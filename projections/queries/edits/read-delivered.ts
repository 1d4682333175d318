import type { ClientBase } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import type { EventFilters } from "#contracts/query/filters.ts";
import { type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { filterConditions } from "../events/event-filters.ts";
import { type ResolvedVersion, rowsOf } from "../events/resolve-version.ts";

/**
 * Which events an agency has delivered: those of which it wrote a row, in any version. Open revisions do not
 * affect them. All functions use a connection of the caller.
 */

type Base = Pick<ResolvedVersion, "key" | "version">;

/** What a run of a schedule asks its agency for. */
export type AskedWindow = { readonly base: Base; readonly filters: EventFilters };

export type PresentIds = EventIds & { readonly id: string };

/** The ids of the events of a window that are not marked as withdrawn, or of those that are. */
export async function* copyWindowIds(
  client: ClientBase,
  window: AskedWindow,
  isMarked = false,
): AsyncGenerator<PresentIds> {
  const query = sql.fragment`
    select event_id, source_id, extra ->> 'public_id' from ${eventsOf(window, isMarked)}`;
  for await (const rows of copyRows(client, query)) {
    for (const [id, sourceId = null, publicId = null] of rows) {
      yield { id: id ?? "", ...idsOf({ source_id: sourceId, extra: { public_id: publicId } }) };
    }
  }
}

/** Of the events of a window that are not marked, how many the agency delivered. */
export async function countDelivered(
  client: ClientBase,
  window: AskedWindow,
  agencyId: string,
): Promise<number> {
  const query = sql.fragment`
    select count(*) from ${eventsOf(window, false)} and ${isDelivered(window.base, agencyId)}`;
  let count = 0;
  for await (const rows of copyRows(client, query)) for (const [n] of rows) count = Number(n);
  return count;
}

/** Those of the given events that the agency delivered. */
export async function deliveredAmong(
  client: ClientBase,
  base: Base,
  agencyId: string,
  ids: readonly string[],
): Promise<string[]> {
  const query = sql.fragment`
    select event_id from read_model.seismic_events e
    where ${rowsOf(base)} and event_id = any(${sql.array([...ids], "uuid")})
      and ${isDelivered(base, agencyId)}`;
  const delivered: string[] = [];
  for await (const rows of copyRows(client, query)) {
    for (const [id] of rows) if (typeof id === "string") delivered.push(id);
  }
  return delivered;
}

function eventsOf({ base, filters }: AskedWindow, isMarked: boolean): FragmentSqlToken {
  const mark = sql.fragment`coalesce(extra ->> 'withdrawn_at', '') <> ''`;
  const marked = isMarked ? mark : sql.fragment`not ${mark}`;
  return sql.fragment`read_model.seismic_events e
    where ${rowsOf(base)} and ${filterConditions(filters)} and ${marked}`;
}

function isDelivered({ key }: Base, agencyId: string): FragmentSqlToken {
  return sql.fragment`exists (
    select from read_model.seismic_events w
    where w.catalogue_key = ${key} and w.event_id = e.event_id and w.revision_from in (
      select i.revision from read_model.imports i
      join read_model.catalogues c on c.id = i.catalogue_id and c.key = ${key}
      where i.agency_id = ${agencyId}))`;
}
