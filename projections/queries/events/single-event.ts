import { type DatabasePool, sql } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { EventChange } from "#contracts/http/events/single-event.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { isoTimes } from "#infra/postgres/iso-time.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { uuidOrNull } from "../sql-values.ts";
import { type EventRow, toSeismicEvent, WHOLE_COLUMNS } from "./event-rows.ts";
import { eventsShown } from "./event-source.ts";
import {
  firstReadable,
  type ResolvedVersion,
  resolveVersion,
  type VersionRequest,
  visibleAt,
} from "./resolve-version.ts";

type EventRequest = VersionRequest & { readonly eventId: string };

/**
 * One event in a version.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED, VALIDATION_ERROR for asOf
 */
export async function readEvent(
  lookups: Lookups,
  { eventId, ...request }: EventRequest,
): Promise<{ event: SeismicEvent; version: ResolvedVersion }> {
  const version = await resolveVersion(lookups, request);
  const row = await lookups.maybeOne(sql.unsafe`
    select ${WHOLE_COLUMNS} from ${eventsShown(version)}
    where ${visibleAt(version)} and event_id = ${uuidOrNull(eventId)}::uuid`);
  if (row === null) throw new Refusal("NOT_FOUND", "Event not found");
  return { event: toSeismicEvent(row as EventRow), version };
}

type HistoryEntry = Pick<EventChange, "version" | "created_at" | "change" | "actor" | "cause"> & {
  readonly event: SeismicEvent;
};

/** A version that began or ended a row. */
type RowVersion = Pick<EventChange, "version" | "created_at" | "actor" | "cause">;

/** A row with its first version and the version that ended it, which is null unless committed. */
type HistoryRow = EventRow & { readonly begun: RowVersion; readonly ended: RowVersion | null };

/**
 * Every version of one event, newest first. A removal shows the last state. For guests, history
 * starts with the publication: an event that is in no public version does not exist, and one that
 * was not changed since has no history. `from` is the first version for this reader, or 0.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED
 */
export async function readEventHistory(
  { pool, lookups }: { readonly pool: DatabasePool; readonly lookups: Lookups },
  { eventId, ...request }: Omit<EventRequest, "asOf">,
): Promise<{ history: HistoryEntry[]; latest: ResolvedVersion; from: number }> {
  const latest = await resolveVersion(lookups, request);
  const from = firstReadable(latest, request.reader.kind === "guest");
  const rows = await historyRows(pool, latest, eventId);
  if (!rows.some(({ ended }) => ended === null || ended.version > from)) {
    throw new Refusal("NOT_FOUND", "Event not found");
  }
  const history = rows
    .flatMap((row, i) => changesOf(row, rows[i - 1], rows[i + 1]))
    // An event that the first public version removed is in no public version.
    .filter(({ version, change }) => version > from || (version === from && change !== "removed"));
  return { history: history.reverse(), latest, from };
}

async function historyRows(
  pool: DatabasePool,
  latest: ResolvedVersion,
  eventId: string,
): Promise<readonly HistoryRow[]> {
  const { key, version } = latest;
  const committed = sql.fragment`
    select version, ${isoTimes("created_at")}, actor, cause
    from read_model.catalogue_versions
    where catalogue_key = ${key} and version <= ${version}`;
  return (await pool.any(sql.unsafe`
    select ${WHOLE_COLUMNS}, to_json(begun) as begun, to_json(ended) as ended
    from ${eventsShown(latest)}
    join (${committed}) begun on begun.version = revision_from
    left join (${committed}) ended on ended.version = revision_to
    where catalogue_key = ${key} and event_id = ${uuidOrNull(eventId)}::uuid
    order by revision_from`)) as readonly HistoryRow[];
}

/** The changes of a row: how it began, and its removal unless the next row follows directly. */
function changesOf(
  row: HistoryRow,
  previous: HistoryRow | undefined,
  next: HistoryRow | undefined,
): HistoryEntry[] {
  const { begun, ended, ...ofEvent } = row;
  const event = toSeismicEvent(ofEvent);
  const change = previous?.ended?.version === begun.version ? "updated" : "added";
  const beginning: HistoryEntry = { ...begun, change, event };
  if (ended === null || next?.begun.version === ended.version) return [beginning];
  return [beginning, { ...ended, change: "removed", event }];
}
