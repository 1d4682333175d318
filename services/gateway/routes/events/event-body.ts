import type { SeismicEvent, SourceEvent } from "#contracts/seismic-event/seismic-event.ts";

/** An event in the API's form; provenance is included only if there is any. */
export function eventBody(
  event: SeismicEvent,
): Omit<SeismicEvent, "source_events"> & { source_events?: SourceEvent[] } {
  const { source_events, ...attributes } = event;
  return source_events === null ? attributes : { ...attributes, source_events };
}
