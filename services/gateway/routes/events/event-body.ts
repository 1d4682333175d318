import type { SeismicEvent, SourceEvent } from "#contracts/seismic-event/seismic-event.ts";

/** An event as the API answers it: its provenance is shown only where it has one. */
export function eventBody(
  event: SeismicEvent,
): Omit<SeismicEvent, "source_events"> & { source_events?: SourceEvent[] } {
  const { source_events, ...attributes } = event;
  return source_events === null ? attributes : { ...attributes, source_events };
}
