import type { DatabasePool } from "slonik";
import type { Operations } from "#contracts/http/operations.ts";
import { readEvent } from "#projections/queries/single-event.ts";
import { versionTag } from "../../etag.ts";
import { eventBody } from "../../event-body.ts";
import type { Handler } from "../../handler.ts";

export function getEventHandler({ pool }: { pool: DatabasePool }): Handler<Operations["getEvent"]> {
  return async ({ params, query }) => {
    const { event, version } = await readEvent(pool, params.id, params.eventId, query.asOf);
    return { body: { event: eventBody(event) }, headers: { etag: versionTag(version) } };
  };
}
