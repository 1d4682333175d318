import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { AgencySettings } from "#contracts/agency.ts";
import { isoTime } from "#infra/postgres/iso-time.ts";

const StoredAgency = AgencySettings.extend({
  id: z.string(),
  push_since: z.string().nullable(),
});
export type StoredAgency = z.infer<typeof StoredAgency>;

/** Whether a schedule asks an agency. */
export function isScheduled(pool: CommonQueryMethods, agencyId: string): Promise<boolean> {
  return pool.exists(sql.unsafe`
    select from read_model.schedules where agency = ${agencyId}`);
}

/** The agencies that were added, and the known ones that were changed. */
export function listStoredAgencies(pool: CommonQueryMethods): Promise<readonly StoredAgency[]> {
  return pool.any(sql.type(StoredAgency)`
    select id, name, url, dialect, enabled, max_per_request as "maxPerRequest",
      requests_at_once as "requestsAtOnce", push, ${isoTime("p.connected_since")} as push_since
    from read_model.agencies a left join operations.agency_pushes p on p.agency = a.id`);
}
