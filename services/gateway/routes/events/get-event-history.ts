import type { DatabasePool } from "slonik";
import type { Operations } from "#contracts/http/operations.ts";
import type { Lookups } from "#infra/postgres/prepared-statements.ts";
import { readEventHistory } from "#projections/queries/single-event.ts";
import { versionTag } from "../../etag.ts";
import { eventBody } from "../../event-body.ts";
import type { Handler } from "../../handler.ts";

export function getEventHistoryHandler({
  pool,
  lookups,
}: {
  pool: DatabasePool;
  lookups: Lookups;
}): Handler<Operations["getEventHistory"]> {
  return async ({ params }) => {
    const { history, version } = await readEventHistory(
      { pool, lookups },
      params.id,
      params.eventId,
    );
    const entries = history.map((entry) => ({ ...entry, event: eventBody(entry.event) }));
    return { body: { history: entries }, headers: { etag: versionTag(version) } };
  };
}
