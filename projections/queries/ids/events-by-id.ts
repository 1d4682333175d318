import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import {
  type EventIdForms,
  eventIdForms,
  type MeantBy,
  meantBy,
} from "#contracts/fdsn/event-id-forms.ts";
import type { Statements } from "#infra/postgres/statements.ts";
import { idSearches } from "../edits/id-holders.ts";
import { isThereFor, type Reader } from "../rights/reader-rights.ts";

/** An event that an id leads to, in whatever catalogue. */
export type EventOfId = {
  readonly catalogueId: string;
  readonly eventId: string;
  /** `former`: its latest row has another id. */
  readonly by: MeantBy | "former";
  /** The last version that has the event. */
  readonly version: number;
  readonly removed: boolean;
};

export type EventsOfId = {
  /** Those that are there first, newer catalogues first. */
  readonly events: readonly EventOfId[];
  /** Whether there may be more. */
  readonly truncated: boolean;
};

/** Rows that are looked at: an event has one for each pair of ids that it was found by. */
const MAX_ROWS = 1_000;

const Row = z.object({
  key: z.int(),
  catalogueId: z.string(),
  eventId: z.string(),
  sourceId: z.string().nullable(),
  publicId: z.string().nullable(),
  /** Those of the event's latest row. */
  lastSourceId: z.string().nullable(),
  lastPublicId: z.string().nullable(),
  version: z.int(),
  removed: z.boolean(),
});
type Row = z.infer<typeof Row>;

/**
 * The events that have or had an id, in all catalogues that are there for a reader, of the versions that he may
 * read. Six look-ups by index in each of the catalogues.
 * @param statements prepared ones: planning takes longer than reading
 */
export async function readEventsOfId(
  statements: Pick<Statements, "any">,
  reader: Reader,
  id: string,
  limit: number,
): Promise<EventsOfId> {
  const form = eventIdForms(id);
  const rows = await statements.any(sql.type(Row)`${eventsOfIdQuery(reader, form)}`);
  const events = new Map<string, EventOfId & { readonly key: number }>();
  for (const row of rows) {
    const by = foundBy(form, row);
    const { key, catalogueId, eventId, version, removed } = row;
    if (by !== null) events.set(eventId, { key, catalogueId, eventId, by, version, removed });
  }
  const inOrder = [...events.values()].toSorted(
    (a, b) =>
      Number(a.removed) - Number(b.removed) || b.key - a.key || (a.eventId < b.eventId ? -1 : 1),
  );
  return {
    events: inOrder.slice(0, limit).map(({ key: _, ...event }) => event),
    truncated: inOrder.length > limit || rows.length === MAX_ROWS,
  };
}

function foundBy(form: EventIdForms, row: Row): EventOfId["by"] | null {
  const { eventId: id, sourceId, publicId, lastSourceId, lastPublicId } = row;
  const now = meantBy(form, { id, sourceId: lastSourceId, publicId: lastPublicId });
  if (now !== null) return now;
  return meantBy(form, { id, sourceId, publicId }) === null ? null : "former";
}

/**
 * One row for each pair of ids by which an event may be meant, with the event's latest row. Without `offset 0`
 * PostgreSQL may look for that among all rows of the catalogue, the latest first.
 */
export function eventsOfIdQuery(reader: Reader, form: EventIdForms): FragmentSqlToken {
  const isGuest = reader.kind === "guest";
  const isReadable = isGuest ? sql.fragment`c.public_from is not null` : sql.fragment`true`;
  const rows = idSearches([form]).map(
    ({ texts, has }) => sql.fragment`
      select c.key, c.id, c.version, found.*
      from readable c cross join unnest(${texts}) wanted (id) cross join lateral (
        select event_id, source_id, extra ->> 'public_id' as public_id
        from read_model.seismic_events
        where catalogue_key = c.key and revision_from <= c.version
          and (revision_to is null or revision_to > c.first) and ${has} offset 0
      ) found`,
  );
  return sql.fragment`
    with readable as materialized (
      select c.id, c.key, c.version, ${isGuest ? sql.fragment`c.public_from` : sql.fragment`0`} as first
      from read_model.catalogues c where ${isReadable} and ${isThereFor(reader, "c")}
    ), named as (
      select distinct key, id, version, event_id, source_id, public_id
      from (${sql.join(rows, sql.fragment` union all `)}) rows limit ${MAX_ROWS}
    )
    select named.key, named.id as "catalogueId", named.event_id as "eventId",
      named.source_id as "sourceId", named.public_id as "publicId",
      last.source_id as "lastSourceId", last.public_id as "lastPublicId",
      last.is_over as removed,
      case when last.is_over then (
        select max(v.version) from read_model.catalogue_versions v
        where v.catalogue_key = named.key and v.version < last.revision_to
      ) else named.version end as version
    from named cross join lateral (
      select e.source_id, e.extra ->> 'public_id' as public_id, e.revision_to,
        e.revision_to is not null and e.revision_to <= named.version as is_over
      from (
        select revision_from, revision_to, source_id, extra from read_model.seismic_events
        where catalogue_key = named.key and event_id = named.event_id
          and revision_from <= named.version
        offset 0
      ) e
      order by e.revision_from desc limit 1
    ) last`;
}
