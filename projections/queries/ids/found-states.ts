import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { isThereFor, type Reader } from "../rights/reader-rights.ts";

/** An event that was found by ids of one of its states, and how it is at last. */
export const FoundState = z.object({
  key: z.int(),
  catalogueId: z.string(),
  eventId: z.string(),
  sourceId: z.string().nullable(),
  publicId: z.string().nullable(),
  /** Those of the event's latest row. */
  lastSourceId: z.string().nullable(),
  lastPublicId: z.string().nullable(),
  /** The last version that has the event. */
  version: z.int(),
  removed: z.boolean(),
});
export type FoundState = z.infer<typeof FoundState>;

/** Rows that are looked at: an event has one for each pair of ids that it was found by. */
export const MAX_STATES = 1_000;

/** Whether a reader may read versions of the catalogue `c`: guests those from the publication on. */
export function isReadable(reader: Reader): FragmentSqlToken {
  const isPublished = reader.kind === "guest" ? sql.fragment`c.public_from is not null and` : NO;
  return sql.fragment`${isPublished} ${isThereFor(reader, "c")}`;
}

const NO = sql.fragment``;

/** The first version of the catalogue `c` that a reader may read. */
export function firstOf(reader: Reader): FragmentSqlToken {
  return reader.kind === "guest" ? sql.fragment`c.public_from` : sql.fragment`0`;
}

/**
 * The states of events by their latest rows. Without `offset 0` PostgreSQL may look for those among all rows of
 * the catalogue, the latest first.
 * @param named rows of key, id and version of the catalogue, event_id, source_id and public_id
 */
export function foundStates(named: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select named.key, named.id as "catalogueId", named.event_id as "eventId",
      named.source_id as "sourceId", named.public_id as "publicId",
      last.source_id as "lastSourceId", last.public_id as "lastPublicId",
      last.is_over as removed,
      case when last.is_over then (
        select max(v.version) from read_model.catalogue_versions v
        where v.catalogue_key = named.key and v.version < last.revision_to
      ) else named.version end as version
    from (select distinct * from (${named}) rows limit ${MAX_STATES}) named cross join lateral (
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
