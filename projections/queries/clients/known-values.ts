import { sql } from "slonik";
import { z } from "zod";
import { createRecent } from "#infra/kernel/recent.ts";
import type { AskedPool } from "#infra/postgres/asked-pool.ts";
import { aggregates } from "../analytics/selection.ts";
import type { EventReads } from "../events/event-reads.ts";
import { type ResolvedVersion, visibleAt } from "../events/resolve-version.ts";
import { priceOf } from "../events/search-price.ts";

/** The values of attributes in the events of one version, in order. */
export type KnownValues = {
  readonly agencies: readonly string[];
  readonly magnitudeTypes: readonly string[];
};

export type ReadKnownValues = (
  reads: Pick<EventReads, "search">,
  version: ResolvedVersion,
) => Promise<KnownValues>;

/** Versions never change, so what was read of one is kept; the least recently read ones are dropped. */
const KEPT_VERSIONS = 200;

const Values = z.object({ agencies: z.array(z.string()), magnitudeTypes: z.array(z.string()) });

/** Reads the values of a version; at once for versions read lately. */
export function createKnownValues(): ReadKnownValues {
  const remembered = createRecent<KnownValues>(KEPT_VERSIONS);
  return async ({ search }, version) => {
    const key = `${version.id} ${version.version}`;
    const cost = {
      price: priceOf({ rows: version.eventCount, filters: {}, further: 4 }),
      events: 0,
    };
    // Others may have read them until it is the turn.
    const known =
      remembered.get(key) ??
      (await search(cost, async (pool) => remembered.get(key) ?? readValues(pool, version)));
    return remembered.keep(key, known);
  };
}

function readValues(pool: AskedPool, version: ResolvedVersion): Promise<KnownValues> {
  return aggregates(pool).one(sql.type(Values)`
    with found as (
      select agency_id, magnitude_type from read_model.seismic_events
      where ${visibleAt(version)} group by agency_id, magnitude_type
    )
    select
      coalesce((select json_agg(distinct agency_id) from found where agency_id is not null), '[]')
        as agencies,
      coalesce(
        (select json_agg(distinct magnitude_type) from found where magnitude_type is not null), '[]')
        as "magnitudeTypes"`);
}
