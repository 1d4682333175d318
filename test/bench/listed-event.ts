import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { toIsoTime } from "#projections/read/copied-rows.ts";
import type { EventRow } from "#projections/read/versions.ts";

/** An event in lists that are not asked for its provenance. */
type ListedEvent = Omit<SeismicEvent, "source_events"> & { source_count: number };

/** A row of read_model.seismic_events as selected by `PAGE_COLUMNS`. */
export type ListedRow = Omit<EventRow, "source_events"> & { readonly source_count: number };

/** The event of a row, member by member: the fastest way with objects. */
export function toListedEvent(row: ListedRow): ListedEvent {
  return {
    id: row.event_id,
    time: toIsoTime(row.time, row.time_digits),
    latitude: row.latitude,
    longitude: row.longitude,
    depth: row.depth,
    magnitude: row.magnitude,
    magnitude_type: row.magnitude_type,
    region: row.region,
    source_id: row.source_id,
    event_type: row.event_type,
    event_type_certainty: row.event_type_certainty,
    evaluation_mode: row.evaluation_mode,
    evaluation_status: row.evaluation_status,
    used_station_count: row.used_station_count,
    used_phase_count: row.used_phase_count,
    azimuthal_gap: row.azimuthal_gap,
    standard_error: row.standard_error,
    minimum_distance: row.minimum_distance,
    magnitude_uncertainty: row.magnitude_uncertainty,
    magnitude_station_count: row.magnitude_station_count,
    depth_uncertainty: row.depth_uncertainty,
    horizontal_uncertainty: row.horizontal_uncertainty,
    time_uncertainty: row.time_uncertainty,
    latitude_uncertainty: row.latitude_uncertainty,
    longitude_uncertainty: row.longitude_uncertainty,
    depth_type: row.depth_type,
    agency_id: row.agency_id,
    author: row.author,
    focal_mechanisms: row.focal_mechanisms,
    extra: row.extra,
    source_count: row.source_count,
  };
}
