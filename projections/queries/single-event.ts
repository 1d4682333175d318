import { type DatabasePool, sql } from "slonik";
import { ApiError } from "#contracts/errors.ts";
import type { EventChange } from "#contracts/http/catalogue-events.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { Lookups } from "#infra/postgres/prepared-statements.ts";
import { EVENT_COLUMNS, type EventRow, toSeismicEvent } from "./event-rows.ts";
import { type ResolvedVersion, resolveVersion, visibleAt } from "./resolve-version.ts";
import { isoMilliseconds, uuidOrNull } from "./sql-values.ts";

/**
 * One event as a version has it.
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR for asOf
 */
export async function readEvent(
  lookups: Lookups,
  catalogueId: string,
  eventId: string,
  asOf: string | undefined,
): Promise<{ event: SeismicEvent; version: number }> {
  const version = await resolveVersion(lookups, catalogueId, asOf);
  const row = await lookups.maybeOne(sql.unsafe`
    select ${EVENT_COLUMNS} from read_model.seismic_events
    where ${visibleAt(version)} and event_id = ${uuidOrNull(eventId)}::uuid`);
  if (row === null) throw new ApiError("NOT_FOUND", "Event not found");
  return { event: toSeismicEvent(row as EventRow), version: version.version };
}

export type HistoryEntry = Omit<EventChange, "event"> & { readonly event: SeismicEvent };

/** A row with the versions that it begins and ends with; an end that is not committed is none. */
type Row = EventRow & {
  readonly begun: number;
  readonly begun_at: string;
  readonly ended: number | null;
  readonly ended_at: string | null;
};

/**
 * Every version of one event, newest first. A removal shows the event as it was last.
 * @throws ApiError NOT_FOUND
 */
export async function readEventHistory(
  { pool, lookups }: { readonly pool: DatabasePool; readonly lookups: Lookups },
  catalogueId: string,
  eventId: string,
): Promise<{ history: HistoryEntry[]; version: number }> {
  const latest = await resolveVersion(lookups, catalogueId);
  const rows = await historyRows(pool, latest, eventId);
  if (rows.length === 0) throw new ApiError("NOT_FOUND", "Event not found");
  const history = rows.flatMap((row, i) => changesOf(row, rows[i - 1], rows[i + 1]));
  return { history: history.reverse(), version: latest.version };
}

async function historyRows(
  pool: DatabasePool,
  { key, version }: ResolvedVersion,
  eventId: string,
): Promise<readonly Row[]> {
  const committed = sql.fragment`
    select version, ${isoMilliseconds("created_at")} from read_model.catalogue_versions
    where catalogue_key = ${key} and version <= ${version}`;
  return (await pool.any(sql.unsafe`
    select ${EVENT_COLUMNS}, begun.version as begun, begun.created_at as begun_at,
      ended.version as ended, ended.created_at as ended_at
    from read_model.seismic_events
    join (${committed}) begun on begun.version = revision_from
    left join (${committed}) ended on ended.version = revision_to
    where catalogue_key = ${key} and event_id = ${uuidOrNull(eventId)}::uuid
    order by revision_from`)) as readonly Row[];
}

/** A row tells how the event came to be so, and whether it went with the next. */
function changesOf(row: Row, previous: Row | undefined, next: Row | undefined): HistoryEntry[] {
  const event = toSeismicEvent(row);
  const begun: HistoryEntry = {
    version: row.begun,
    created_at: row.begun_at,
    change: previous?.ended === row.begun ? "updated" : "added",
    event,
  };
  const { ended, ended_at: endedAt } = row;
  if (ended === null || endedAt === null || next?.begun === ended) return [begun];
  return [begun, { version: ended, created_at: endedAt, change: "removed", event }];
}
