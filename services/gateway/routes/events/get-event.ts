import type { Operations } from "#contracts/http/operations.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { isPublicVersion } from "#projections/queries/resolve-version.ts";
import { readEvent } from "#projections/queries/single-event.ts";
import { versionTag } from "../../http/etag.ts";
import type { Handler } from "../../http/handler.ts";
import { eventBody } from "./event-body.ts";

export function getEventHandler({
  lookups,
}: {
  lookups: Lookups;
}): Handler<Operations["getEvent"]> {
  return async ({ params: { id: catalogueId, eventId }, query: { asOf }, actor }) => {
    const request = { catalogueId, eventId, asOf, isGuest: actor === null };
    const { event, version } = await readEvent(lookups, request);
    return {
      body: { event: eventBody(event) },
      headers: { etag: versionTag(version.version) },
      isPublic: isPublicVersion(version),
    };
  };
}
