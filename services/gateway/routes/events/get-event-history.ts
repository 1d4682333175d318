import type { DatabasePool } from "slonik";
import type { Operations } from "#contracts/http/operations.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { readEventHistory } from "#projections/queries/single-event.ts";
import { changesTag, versionTag } from "../../http/etag.ts";
import type { Handler } from "../../http/handler.ts";
import { eventBody } from "./event-body.ts";

export function getEventHistoryHandler({
  pool,
  lookups,
}: {
  pool: DatabasePool;
  lookups: Lookups;
}): Handler<Operations["getEventHistory"]> {
  return async ({ params: { id: catalogueId, eventId }, actor }) => {
    const request = { catalogueId, eventId, isGuest: actor === null };
    const { history, latest, from } = await readEventHistory({ pool, lookups }, request);
    const { version, publicFrom } = latest;
    const entries = history.map((entry) => ({ ...entry, event: eventBody(entry.event) }));
    return {
      body: { history: entries },
      headers: { etag: from > 1 ? changesTag(version, from) : versionTag(version) },
      isPublic: publicFrom !== null,
    };
  };
}
