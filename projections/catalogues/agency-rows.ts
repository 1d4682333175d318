import { sql } from "slonik";
import type { AgencyEvent } from "#contracts/domain-events/agency-events.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import type { Transaction } from "../engine/projection.ts";

/** Applies one event to its agency's row. */
export async function applyToAgency(
  transaction: Transaction,
  { type, data }: AgencyEvent,
): Promise<void> {
  const { agencyId } = data;
  switch (type) {
    case "AgencyAdded":
    case "AgencyChanged": {
      const { name, url, dialect, enabled, push } = data.settings;
      const { maxPerRequest, requestsAtOnce } = data.settings;
      await transaction.run(sql.unsafe`
        insert into agencies
          (id, name, url, dialect, enabled, max_per_request, requests_at_once, push)
        values (${agencyId}, ${name}, ${url}, ${dialect}, ${enabled}, ${maxPerRequest},
          ${requestsAtOnce}, ${push})
        on conflict (id) do update set name = excluded.name, url = excluded.url,
          dialect = excluded.dialect, enabled = excluded.enabled,
          max_per_request = excluded.max_per_request,
          requests_at_once = excluded.requests_at_once, push = excluded.push`);
      return;
    }
    case "AgencyRemoved":
      await transaction.run(sql.unsafe`delete from agencies where id = ${agencyId}`);
      return;
    default:
      return unknownCase(type);
  }
}
