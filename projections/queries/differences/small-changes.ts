import { type CommonQueryMethods, sql } from "slonik";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { type EventRow, toSeismicEvent, WHOLE_COLUMNS } from "../events/event-rows.ts";

/** A committed revision of a catalogue that changed few events. */
export type SmallRevision = { readonly catalogueId: string; readonly version: number };

/** An event before and after a revision; null where it was not there. */
export type EventChanged = SmallRevision & {
  readonly before: SeismicEvent | null;
  readonly after: SeismicEvent | null;
};

type ChangedRow = EventRow & {
  readonly changed_catalogue: string;
  readonly changed_in: number;
  readonly is_after: boolean;
};

/** What revisions changed, of all of them together; nothing of catalogues that are gone. */
export async function smallChanges(
  pool: Pick<CommonQueryMethods, "any">,
  revisions: readonly SmallRevision[],
): Promise<EventChanged[]> {
  if (revisions.length === 0) return [];
  const ids = sql.array(
    revisions.map(({ catalogueId }) => catalogueId),
    "uuid",
  );
  const versions = sql.array(
    revisions.map(({ version }) => version),
    "int4",
  );
  const rowsAt = (column: string, isAfter: boolean) => sql.fragment`
    select ${WHOLE_COLUMNS}, c.id as changed_catalogue, w.version as changed_in, ${isAfter ? sql.fragment`true` : sql.fragment`false`} as is_after
    from unnest(${ids}, ${versions}) w(id, version)
    join read_model.catalogues c on c.id = w.id
    join read_model.seismic_events on catalogue_key = c.key and ${sql.identifier([column])} = w.version`;
  const rows = (await pool.any(sql.unsafe`
    ${rowsAt("revision_to", false)} union all ${rowsAt("revision_from", true)}`)) as readonly ChangedRow[];
  return joined(rows);
}

function joined(rows: readonly ChangedRow[]): EventChanged[] {
  const changes = new Map<string, EventChanged>();
  for (const { changed_catalogue: catalogueId, changed_in: version, is_after, ...row } of rows) {
    const key = `${catalogueId} ${version} ${row.event_id}`;
    const known = changes.get(key) ?? { catalogueId, version, before: null, after: null };
    changes.set(key, { ...known, [is_after ? "after" : "before"]: toSeismicEvent(row) });
  }
  return [...changes.values()];
}
