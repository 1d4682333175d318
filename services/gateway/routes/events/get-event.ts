import type { Operations } from "#contracts/http/operations.ts";
import type { Lookups } from "#infra/postgres/prepared-statements.ts";
import { readEvent } from "#projections/queries/single-event.ts";
import { versionTag } from "../../etag.ts";
import { eventBody } from "../../event-body.ts";
import type { Handler } from "../../handler.ts";

export function getEventHandler({
  lookups,
}: {
  lookups: Lookups;
}): Handler<Operations["getEvent"]> {
  return async ({ params, query }) => {
    const { event, version } = await readEvent(lookups, params.id, params.eventId, query.asOf);
    return { body: { event: eventBody(event) }, headers: { etag: versionTag(version) } };
  };
}
