import { type DatabasePool, sql } from "slonik";
import { z } from "zod";
import { ApiError } from "#contracts/errors.ts";
import type { EventChange } from "#contracts/http/catalogue-events.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { eventById } from "./edit-queries.ts";
import { EVENT_COLUMNS, type EventRow, toSeismicEvent } from "./event-rows.ts";
import { type ResolvedVersion, resolveVersion } from "./resolve-version.ts";
import { isoMilliseconds } from "./sql-values.ts";

/**
 * One event as a version has it.
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR for asOf
 */
export async function readEvent(
  pool: DatabasePool,
  catalogueId: string,
  eventId: string,
  asOf: string | undefined,
): Promise<{ event: SeismicEvent; version: number }> {
  const version = await resolveVersion(pool, catalogueId, asOf);
  const event = await eventById(pool, version, eventId);
  if (event === null) throw new ApiError("NOT_FOUND", "Event not found");
  return { event, version: version.version };
}

export type HistoryEntry = Omit<EventChange, "event"> & { readonly event: SeismicEvent };

type Row = EventRow & { readonly revision_from: number; readonly revision_to: number | null };

/**
 * Every version of one event, newest first. A removal shows the event as it was last.
 * @throws ApiError NOT_FOUND
 */
export async function readEventHistory(
  pool: DatabasePool,
  catalogueId: string,
  eventId: string,
): Promise<{ history: HistoryEntry[]; version: number }> {
  const latest = await resolveVersion(pool, catalogueId);
  const rows = (await pool.any(sql.unsafe`
    select ${EVENT_COLUMNS}, revision_from, revision_to from read_model.seismic_events
    where catalogue_key = ${latest.key} and event_id = ${eventId}::uuid
      and revision_from <= ${latest.version}
    order by revision_from`)) as readonly Row[];
  if (rows.length === 0) throw new ApiError("NOT_FOUND", "Event not found");
  const times = await versionTimes(pool, latest);
  const history = rows
    .flatMap((row, i) => changesOf(row, rows[i - 1], rows[i + 1], latest))
    .map((entry) => ({ ...entry, created_at: times.get(entry.version) ?? "" }));
  return { history: history.reverse(), version: latest.version };
}

type Change = Omit<HistoryEntry, "created_at">;

/** A row tells how the event came to be so, and whether it went with the next. */
function changesOf(
  row: Row,
  previous: Row | undefined,
  next: Row | undefined,
  latest: ResolvedVersion,
): Change[] {
  const event = toSeismicEvent(row);
  const { revision_from: from, revision_to: to } = row;
  const begun: Change = {
    version: from,
    change: previous?.revision_to === from ? "updated" : "added",
    event,
  };
  const removed = to !== null && to <= latest.version && next?.revision_from !== to;
  return removed ? [begun, { version: to, change: "removed", event }] : [begun];
}

async function versionTimes(
  pool: DatabasePool,
  { key }: ResolvedVersion,
): Promise<Map<number, string>> {
  const rows = await pool.any(sql.type(z.object({ version: z.int(), created_at: z.string() }))`
    select version, ${isoMilliseconds("created_at")}
    from read_model.catalogue_versions where catalogue_key = ${key}`);
  return new Map(rows.map(({ version, created_at }) => [version, created_at]));
}
