import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { leadsTo, readIdHolders } from "../edits/id-holders.ts";
import type { VersionRows } from "../events/resolve-version.ts";

const Missing = z.object({ id: z.uuid(), ids: z.array(z.string()) });

/**
 * Where events of a catalogue are in its latest version: each by its own id, or by that of the event to which the ids
 * of a removed one lead now. Of some that are not there at all nothing is said.
 * @param eventIds any number of them
 */
export async function followedEvents(
  statements: Pick<CommonQueryMethods, "any">,
  rows: VersionRows,
  eventIds: readonly string[],
): Promise<Map<string, string>> {
  const missing = await statements.any(sql.type(Missing)`
    select wanted.id, array(
      select distinct text from read_model.seismic_events e
      cross join lateral (values (e.source_id), (e.extra ->> 'public_id')) named(text)
      where e.catalogue_key = ${rows.key} and e.event_id = wanted.id and text is not null
      order by text
    ) as ids
    from unnest(${sql.array([...new Set(eventIds)], "uuid")}) wanted(id)
    where not exists (
      select from read_model.seismic_events e
      where e.catalogue_key = ${rows.key} and e.event_id = wanted.id and e.revision_to is null)`);
  const followed = new Map(eventIds.map((id) => [id, id]));
  const texts = missing.flatMap(({ ids }) => ids);
  const holders = await readIdHolders(statements, { ...rows, from: 0 }, texts);
  for (const { id, ids } of missing) {
    const others = ids.flatMap((text) => leadsTo(holders.get(text) ?? []));
    const [successor] = others.toSorted((a, b) => Number(b.has) - Number(a.has));
    if (successor === undefined) followed.delete(id);
    else followed.set(id, successor.eventId);
  }
  return followed;
}

const Unknown = z.object({ id: z.uuid() });

/** The first of some events that a catalogue has never had; null for none. */
export async function firstUnknown(
  statements: Pick<CommonQueryMethods, "any">,
  { key }: Pick<VersionRows, "key">,
  eventIds: readonly string[],
): Promise<string | null> {
  const [unknown] = await statements.any(sql.type(Unknown)`
    select wanted.id from unnest(${sql.array([...eventIds], "uuid")}) with ordinality wanted(id, place)
    where not exists (
      select from read_model.seismic_events e
      where e.catalogue_key = ${key} and e.event_id = wanted.id)
    order by wanted.place limit 1`);
  return unknown?.id ?? null;
}
