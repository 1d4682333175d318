import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { extendBounds } from "#contracts/domain-events/bounds.ts";
import { type Bounds, NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { KeptBulletin } from "#infra/event-log/chunk-writer.ts";
import { isoTime } from "../events/copied-event.ts";
import {
  EVENT_COLUMNS,
  type EventRow,
  keptBulletin,
  toSeismicEvent,
  WHOLE_COLUMNS,
} from "../events/event-rows.ts";
import { rowsOf } from "../events/resolve-version.ts";
import { uuidOrNull } from "../sql-values.ts";

/** Lookups for edits, in the events of the latest version; open revisions do not affect them. */

type CatalogueRevision = { readonly key: number; readonly version: number };

/** The read model's key and latest version of a catalogue; null for an unknown one. */
export function presentRevision(
  pool: CommonQueryMethods,
  catalogueId: string,
): Promise<CatalogueRevision | null> {
  return pool.maybeOne(sql.type(z.object({ key: z.int(), version: z.int() }))`
    select key, version from read_model.catalogues where id = ${catalogueId}`);
}

/** Whether a revision of the catalogue was given up and is still being undone: until then none can be planned. */
export async function isBeingUndone(
  pool: Pick<CommonQueryMethods, "maybeOne">,
  catalogueId: string,
): Promise<boolean> {
  const left = await pool.maybeOne(sql.unsafe`
    select from read_model.catalogues where id = ${catalogueId}
      and exists (select from read_model.abandoned_revisions where catalogue_key = key)`);
  return left !== null;
}

/** An event, and its bulletin as the log knows it. */
export type FoundEvent = {
  readonly event: SeismicEvent;
  readonly bulletin: KeptBulletin | null;
};

export async function eventById(
  pool: Pick<CommonQueryMethods, "maybeOne">,
  base: CatalogueRevision,
  eventId: string,
): Promise<FoundEvent | null> {
  const row = await pool.maybeOne(sql.unsafe`
    select ${WHOLE_COLUMNS} from read_model.seismic_events
    where ${rowsOf(base)} and event_id = ${uuidOrNull(eventId)}::uuid`);
  if (row === null) return null;
  return { event: toSeismicEvent(row as EventRow), bulletin: keptBulletin(row as EventRow) };
}

/** Where an event lies, in space, time and magnitude. */
export type EventPlace = Pick<SeismicEvent, "id" | "time" | "latitude" | "longitude" | "magnitude">;

type PlaceRow = Omit<EventPlace, "id"> & Pick<EventRow, "event_id" | "time_digits">;

/** Those of the events that the version has, in no particular order. Thousands at once. */
export async function placesOf(
  pool: Pick<CommonQueryMethods, "any">,
  base: CatalogueRevision,
  eventIds: readonly string[],
): Promise<EventPlace[]> {
  const rows = await pool.any(sql.unsafe`
    select event_id, time, time_digits, latitude, longitude, magnitude
    from read_model.seismic_events
    where ${rowsOf(base)} and event_id = any(${sql.array([...eventIds], "uuid")})`);
  return (rows as readonly PlaceRow[]).map(({ event_id: id, time, time_digits, ...place }) => ({
    id,
    time: isoTime(time, time_digits),
    ...place,
  }));
}

const known = sql.fragment`coalesce(magnitude, '-infinity'::double precision)`;

/** The order in which the event at each bound comes first; for times and magnitudes an index has it. */
const EDGE_FIRST: Record<keyof Bounds, FragmentSqlToken> = {
  min_latitude: sql.fragment`latitude`,
  max_latitude: sql.fragment`latitude desc`,
  min_longitude: sql.fragment`longitude`,
  max_longitude: sql.fragment`longitude desc`,
  min_magnitude: known,
  max_magnitude: sql.fragment`${known} desc`,
  start_time: sql.fragment`time, time_digits`,
  end_time: sql.fragment`time desc, time_digits desc`,
};

/** The named bounds of the version's events without the given ones; null when none is left. */
export async function boundsWithout(
  pool: CommonQueryMethods,
  base: CatalogueRevision,
  eventIds: readonly string[],
  names: readonly (keyof Bounds)[],
): Promise<Partial<Bounds>> {
  const bounds: Partial<Record<keyof Bounds, number | string | null>> = {};
  for (const name of names) {
    const unknown = name.endsWith("magnitude")
      ? sql.fragment`magnitude is null`
      : sql.fragment`false`;
    const row = await pool.maybeOne(sql.unsafe`
      select ${EVENT_COLUMNS} from read_model.seismic_events
      where ${rowsOf(base)} and not (${unknown})
        and not (event_id = any(${sql.array([...eventIds], "uuid")}))
      order by ${EDGE_FIRST[name]} limit 1`);
    bounds[name] = row === null ? null : boundOf(toSeismicEvent(row as EventRow))[name];
  }
  return bounds as Partial<Bounds>;
}

function boundOf(event: SeismicEvent): Bounds {
  const bounds = { ...NO_BOUNDS };
  extendBounds(bounds, event);
  return bounds;
}

const OpenRevision = z.object({ catalogueId: z.string(), revision: z.int(), worker: z.string() });

export function openRevisions(
  pool: CommonQueryMethods,
): Promise<readonly z.infer<typeof OpenRevision>[]> {
  return pool.any(sql.type(OpenRevision)`
    select id as "catalogueId", open_revision as revision, open_worker as worker
    from read_model.catalogues where open_revision is not null`);
}
