import type { ClientBase } from "pg";
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { AgencySettings, ElementTalliesBody, UnmatchedRow } from "#contracts/events/imports.ts";
import { ImportRecord } from "#contracts/http/imports.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { type EventIds, idsOf } from "#contracts/seismic-event/public-ids.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { isoTime, isoTimes } from "#infra/postgres/statements.ts";
import { filterConditions } from "./conditions.ts";
import { isThereFor, type Reader } from "./rights.ts";
import { ofEvents, rowsOf, type VersionRows } from "./versions.ts";

const ImportRow = ImportRecord.extend({
  withdrawn_events: z.int().nullable(),
  withheld: z.int().nullable(),
  unmatched: z.object({ count: z.int(), rows: z.array(UnmatchedRow) }).nullable(),
  elements: ElementTalliesBody.nullable(),
});

const COLUMNS = sql.fragment`
  id, catalogue_id, schedule_id, start_time, end_time, window_start, window_end,
  total_fetched, new_events, updated_events, skipped_events, withdrawn_events, withheld, unmatched,
  errors, elements`;

/**
 * The ended imports into a catalogue, newest first, with those of schedules that the log does not tell of; none for
 * one that is not there for the reader.
 */
export async function listImports(
  pool: CommonQueryMethods,
  catalogueId: string,
  limit: number,
  reader: Reader,
): Promise<readonly ImportRecord[]> {
  const id = sql.fragment`${catalogueId}::uuid`;
  const newest = sql.fragment`order by r.start_time desc, r.id desc limit ${limit}`;
  // The record is written when the run ends.
  const runs = await pool.any(sql.type(ImportRow)`
    select id, catalogue_id, schedule_id, ${isoTimes("start_time", "end_time")},
      window_start, window_end, total_fetched, new_events, updated_events, skipped_events,
      withdrawn_events, withheld, unmatched, errors, ${isoTime("end_time")} as created_at, elements
    from (
      (select ${COLUMNS} from read_model.imports r
        where catalogue_id = ${id} and end_time is not null ${newest})
      union all
      (select ${COLUMNS} from operations.schedule_runs r
        where catalogue_id = ${id}
          and not exists (select from read_model.imports i where i.id = r.id) ${newest})
    ) r
    where exists (select from read_model.catalogues c
      where c.id = r.catalogue_id and ${isThereFor(reader, "c")})
    ${newest}`);
  return runs.map(({ elements, withdrawn_events: withdrawn, withheld, unmatched, ...run }) => ({
    ...run,
    ...(withdrawn !== null && { withdrawn_events: withdrawn }),
    ...(withheld !== null && { withheld }),
    ...(unmatched && { unmatched: unmatched.rows, unmatched_count: unmatched.count }),
    ...(elements && { elements }),
  }));
}

/** What a run of a schedule asks its agency for. */
export type AskedWindow = { readonly base: VersionRows; readonly filters: EventFilters };

export type PresentIds = EventIds & { readonly id: string };

/** The ids of the events of a window that are not marked as withdrawn, or of those that are. */
export async function* copyWindowIds(client: ClientBase, window: AskedWindow, isMarked = false) {
  const query = sql.fragment`
    select event_id, source_id, extra ->> 'public_id' from ${eventsOf(window, isMarked)}`;
  for await (const rows of copyRows(client, query)) {
    for (const [id, sourceId = null, publicId = null] of rows) {
      yield { id: id ?? "", ...idsOf({ source_id: sourceId, extra: { public_id: publicId } }) };
    }
  }
}

/**
 * Of the events of a window that are not marked, how many the agency delivered: those of which it wrote a row, in
 * any version. Open revisions do not affect them.
 * @param client a connection of the caller
 */
export async function countDelivered(client: ClientBase, window: AskedWindow, agencyId: string) {
  const query = sql.fragment`
    select count(*) from ${eventsOf(window, false)} and ${isDelivered(window.base, agencyId)}`;
  let count = 0;
  for await (const rows of copyRows(client, query)) for (const [n] of rows) count = Number(n);
  return count;
}

/** Those of the given events that the agency delivered. */
export async function deliveredAmong(
  client: ClientBase,
  base: VersionRows,
  agencyId: string,
  ids: readonly string[],
): Promise<string[]> {
  const query = sql.fragment`
    select event_id from read_model.seismic_events e
    where ${rowsOf(base)} and ${ofEvents(ids)} and ${isDelivered(base, agencyId)}`;
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

function isDelivered({ key }: VersionRows, agencyId: string): FragmentSqlToken {
  return sql.fragment`exists (
    select from read_model.seismic_events w
    where w.catalogue_key = ${key} and w.event_id = e.event_id and w.revision_from in (
      select i.revision from read_model.imports i
      join read_model.catalogues c on c.id = i.catalogue_id and c.key = ${key}
      where i.agency_id = ${agencyId}))`;
}

const StoredAgency = AgencySettings.extend({
  id: z.string(),
  push_since: z.string().nullable(),
});
export type StoredAgency = z.infer<typeof StoredAgency>;

/** Whether a schedule asks an agency. */
export function isScheduled(pool: CommonQueryMethods, agencyId: string): Promise<boolean> {
  return pool.exists(sql.unsafe`
    select from read_model.schedules where agency = ${agencyId}`);
}

/** The agencies that were added, and the known ones that were changed. */
export function listStoredAgencies(pool: CommonQueryMethods): Promise<readonly StoredAgency[]> {
  return pool.any(sql.type(StoredAgency)`
    select id, name, url, dialect, enabled, max_per_request as "maxPerRequest",
      requests_at_once as "requestsAtOnce", push, ${isoTime("p.connected_since")} as push_since
    from read_model.agencies a left join operations.agency_pushes p on p.agency = a.id`);
}
