import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { DecidedEvent } from "#contracts/merge/merge-decision.ts";
import { followedEvents } from "./followed-events.ts";

type Source = { readonly id: string; readonly key: number; readonly version: number };
type Decided = { readonly events: readonly DecidedEvent[] };

/**
 * The events of decisions as they are in the latest versions of their sources: each list has those that are there,
 * by the ids that they have now, once each.
 * @param sources those that are there for whoever asks; of events of others nothing is told
 */
export async function presentEvents(
  statements: Pick<CommonQueryMethods, "any">,
  sources: readonly Source[],
  decisions: readonly Decided[],
): Promise<DecidedEvent[][]> {
  const named = Map.groupBy(
    decisions.flatMap(({ events }) => events),
    ({ catalogue_id }) => catalogue_id,
  );
  const followed = new Map<string, Map<string, string>>();
  for (const source of sources) {
    const ids = (named.get(source.id) ?? []).map(({ event_id }) => event_id);
    if (ids.length > 0) followed.set(source.id, await followedEvents(statements, source, ids));
  }
  return decisions.map(({ events }) => {
    const present = new Map<string, DecidedEvent>();
    for (const { catalogue_id, event_id } of events) {
      const now = followed.get(catalogue_id)?.get(event_id);
      if (now !== undefined) present.set(`${catalogue_id}/${now}`, { catalogue_id, event_id: now });
    }
    return [...present.values()];
  });
}

const Group = z.object({ id: z.uuid(), events: z.array(DecidedEvent.strip()) });

/** The events of a merged catalogue that have one of some events as a member, with all their members. */
export function groupsOf(
  statements: Pick<CommonQueryMethods, "any">,
  catalogueId: string,
  members: readonly string[],
): Promise<readonly z.infer<typeof Group>[]> {
  const wanted = sql.fragment`${sql.array([...members], "uuid")}`;
  return statements.any(sql.type(Group)`
    select e.event_id as id, e.source_events as events
    from read_model.catalogues c
    join read_model.seismic_events e on e.catalogue_key = c.key and e.revision_to is null
    where c.id = ${catalogueId} and e.event_id in (
      select event_id from read_model.merge_members where member = any(${wanted}) and catalogue_key = c.key
    ) and exists (
      select from json_array_elements(e.source_events) source
      where (source ->> 'event_id')::uuid = any(${wanted})
    )
    order by e.event_id`);
}
