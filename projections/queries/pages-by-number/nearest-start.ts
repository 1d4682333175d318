import { sql } from "slonik";
import { z } from "zod";
import type { EventOrder } from "#contracts/query/filter-parameters.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { isPresent, type ResolvedVersion } from "../events/resolve-version.ts";
import type { PageStart } from "../events/selection.ts";

/** From where a page is read, and in which order. */
type Way = { readonly order: EventOrder; readonly start: PageStart };

/** The number of events before a page from either end of its version. */
type Place = { readonly newer: number; readonly older: number };

/** So near to an end a page is read from there, without a further lookup. */
const NEAR = 1_000;

/** Before every id: with a time, the place before all events of the time in ascending order. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

const Edge = z.object({
  /** Null at an end of the version. */
  time: z.string().nullable(),
  isNewest: z.boolean(),
  skipped: z.int(),
});

/**
 * The end of the version, or of a block of its events (infra/decisions/0027), from which the fewest
 * events lie before a page: they are read and discarded.
 */
export async function nearestStart(
  lookups: Lookups,
  version: ResolvedVersion,
  { newer, older }: Place,
  near = NEAR,
): Promise<Way> {
  const edge =
    Math.min(newer, older) < near ? null : await nearestEdge(lookups, version, { newer, older });
  if (edge === null) {
    return newer <= older
      ? { order: "time", start: { offset: newer } }
      : { order: "time-asc", start: { offset: older } };
  }
  const { time, isNewest, skipped: offset } = edge;
  const order = isNewest ? "time" : "time-asc";
  if (time === null) return { order, start: { offset } };
  return { order, start: { after: { magnitude: null, time, id: FIRST_ID }, offset } };
}

/** Null when the catalogue is gone. */
function nearestEdge(
  lookups: Lookups,
  { key, version, eventCount }: ResolvedVersion,
  { newer, older }: Place,
): Promise<z.infer<typeof Edge> | null> {
  const visible = sql.fragment`catalogue_key = ${key} and revision_from <= ${version}`;
  return lookups.maybeOne(sql.type(Edge)`
    with blocks as (
      select since, events, lead(since) over in_order as until, sum(events) over in_order as upto
      from (
        select since, events from read_model.event_blocks where ${visible} and revision_to is null
        union all
        select since, events from read_model.event_blocks
        where ${visible} and revision_to > ${version}
      ) visible
      window in_order as (order by since)
    )
    select case when isfinite(time) then time::text end as time, "isNewest", skipped::integer
    from (
      select since as time, false as "isNewest", ${older} - (upto - events) as skipped
      from blocks where upto > ${older} and upto - events <= ${older}
      union all
      select until, true, ${newer} - (${eventCount} - upto)
      from blocks where ${eventCount} - upto <= ${newer} and ${eventCount} - upto + events > ${newer}
    ) edges
    where ${isPresent({ key })}
    order by skipped limit 1`);
}
