import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { type IdScope, leadsTo, readIdHolders } from "../edits/id-holders.ts";

/** How an event came to be in a version no more. */
export type Removal = {
  readonly eventId: string;
  /** The version that removed it. */
  readonly removedBy: number;
  /** The last version that has it. */
  readonly last: number;
  /** The event to which one of its ids leads in the version; null for none. */
  readonly successor: string | null;
};

const Row = z.object({
  removedBy: z.int(),
  last: z.int(),
  ids: z.array(z.string()),
});

/** @param eventId of an event that has been in a version of the scope and is not there in the last */
export async function readRemoval(
  pool: Pick<CommonQueryMethods, "any" | "one">,
  scope: IdScope,
  eventId: string,
): Promise<Removal> {
  const { key, version, from } = scope;
  const { ids, ...removal } = await pool.one(sql.type(Row)`
    select ended as "removedBy", ids, (
      select max(v.version) from read_model.catalogue_versions v
      where v.catalogue_key = ${key} and v.version < ended
    ) as last
    from (
      select max(revision_to) as ended,
        array_remove(array_agg(distinct source_id)
          || array_agg(distinct extra ->> 'public_id'), null) as ids
      from read_model.seismic_events
      where catalogue_key = ${key} and event_id = ${eventId}::uuid
        and revision_to > ${from} and revision_to <= ${version}
    ) rows`);
  const holders = await readIdHolders(pool, scope, ids);
  const others = ids.flatMap((id) => leadsTo(holders.get(id) ?? []));
  const [successor = null] = others.toSorted((a, b) => Number(b.has) - Number(a.has));
  return { eventId, ...removal, successor: successor?.eventId ?? null };
}
