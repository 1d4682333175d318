import type { SeismicEvent, SourceEvent } from "#contracts/seismic-event/seismic-event.ts";
import { isPublicVersion } from "#projections/queries/events/resolve-version.ts";
import { readEvent, readEventHistory } from "#projections/queries/events/single-event.ts";
import { changesTag, versionTag } from "../../http/etag.ts";
import type { MakeHandler } from "../make-handler.ts";

export const getEventHandler: MakeHandler<"getEvent", "lookups"> =
  ({ lookups }) =>
  async ({ params: { id: catalogueId, eventId }, query: { asOf }, isGuest }) => {
    const request = { catalogueId, eventId, asOf, isGuest };
    const { event, version } = await readEvent(lookups, request);
    return {
      body: { event: eventBody(event) },
      headers: { etag: versionTag(version.version) },
      isPublic: isPublicVersion(version),
    };
  };

export const getEventHistoryHandler: MakeHandler<"getEventHistory", "pool" | "lookups"> =
  (deps) =>
  async ({ params: { id: catalogueId, eventId }, isGuest }) => {
    const request = { catalogueId, eventId, isGuest };
    const { history, latest, from } = await readEventHistory(deps, request);
    const { version, publicFrom } = latest;
    const entries = history.map((entry) => ({ ...entry, event: eventBody(entry.event) }));
    return {
      body: { history: entries },
      headers: { etag: from > 1 ? changesTag(version, from) : versionTag(version) },
      isPublic: publicFrom !== null,
    };
  };

/** An event in the API's form; provenance is included only if there is any. */
export function eventBody(
  event: SeismicEvent,
): Omit<SeismicEvent, "source_events"> & { source_events?: SourceEvent[] } {
  const { source_events, ...attributes } = event;
  return source_events === null ? attributes : { ...attributes, source_events };
}
