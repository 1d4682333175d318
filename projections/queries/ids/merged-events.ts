import { type FragmentSqlToken, sql } from "slonik";
import { isHiddenFor, type Reader } from "../rights/reader-rights.ts";
import { firstOf, foundStates, isReadable } from "./found-states.ts";

/**
 * The merged events that have or had one of the events as a member, in versions that a reader may read; of
 * sources that are hidden from him nothing is told.
 */
export function mergedEventsQuery(reader: Reader, members: readonly string[]): FragmentSqlToken {
  return foundStates(sql.fragment`
    select c.key, c.id, c.version, m.event_id, null::text as source_id, null::text as public_id
    from unnest(${sql.array([...members], "uuid")}) wanted (id)
    cross join lateral (
      select catalogue_key, event_id from read_model.merge_members
      where member = wanted.id offset 0
    ) m
    join read_model.catalogues c on c.key = m.catalogue_key
    where ${isReadable(reader)} and exists (
      select from read_model.seismic_events e
      cross join lateral json_array_elements(e.source_events) source
      where e.catalogue_key = m.catalogue_key and e.event_id = m.event_id
        and e.revision_from <= c.version
        and (e.revision_to is null or e.revision_to > ${firstOf(reader)})
        and source ->> 'event_id' = wanted.id::text
        and not ${isHiddenFor(reader, sql.fragment`(source ->> 'catalogue_id')::uuid`)}
    )`);
}
