import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

type Bounded = Pick<SeismicEventRecord, "time" | "latitude" | "longitude" | "magnitude">;

/** Whether the bounds may shrink when this event goes: it lies on one of them. */
export function touchesBounds(bounds: Bounds, event: Bounded): boolean {
  return (
    event.latitude === bounds.min_latitude ||
    event.latitude === bounds.max_latitude ||
    event.longitude === bounds.min_longitude ||
    event.longitude === bounds.max_longitude ||
    (event.magnitude !== null &&
      (event.magnitude === bounds.min_magnitude || event.magnitude === bounds.max_magnitude)) ||
    sameInstant(event.time, bounds.start_time) ||
    sameInstant(event.time, bounds.end_time)
  );
}

function sameInstant(time: string, bound: string | null): boolean {
  return bound !== null && compareTimes(time, bound) === 0;
}
