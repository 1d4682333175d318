import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { createShared } from "#infra/kernel/shared.ts";
import { type ResolvedVersion, visibleAt } from "../events/resolve-version.ts";

/** The values of attributes in the events of one version, in order. */
export type KnownValues = {
  readonly agencies: readonly string[];
  readonly magnitudeTypes: readonly string[];
};

export type ReadKnownValues = (version: ResolvedVersion) => Promise<KnownValues>;

/** Versions never change, so what was read of one is kept; the least recently read ones are dropped. */
const KEPT_VERSIONS = 200;

const Values = z.object({ agencies: z.array(z.string()), magnitudeTypes: z.array(z.string()) });

/** Reads the values of a version; at once for versions read lately. */
export function createKnownValues(pool: CommonQueryMethods): ReadKnownValues {
  const remembered = createShared<KnownValues>(KEPT_VERSIONS);
  return (version) =>
    remembered(`${version.id} ${version.version}`, () => readValues(pool, version));
}

function readValues(pool: CommonQueryMethods, version: ResolvedVersion): Promise<KnownValues> {
  return pool.one(sql.type(Values)`
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
