import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

export type BoundName = keyof Bounds;

type Bounded = Pick<SeismicEventRecord, "time" | "latitude" | "longitude" | "magnitude">;

/** The bounds on which an event lies: without the event these may shrink, others stay. */
export function touchedBounds(bounds: Bounds, event: Bounded): BoundName[] {
  const values: Record<BoundName, number | string | null> = {
    min_latitude: event.latitude,
    max_latitude: event.latitude,
    min_longitude: event.longitude,
    max_longitude: event.longitude,
    min_magnitude: event.magnitude,
    max_magnitude: event.magnitude,
    start_time: event.time,
    end_time: event.time,
  };
  const names = Object.keys(values) as BoundName[];
  return names.filter((name) => liesOn(values[name], bounds[name]));
}

function liesOn(value: number | string | null, bound: number | string | null): boolean {
  if (typeof value === "string" && typeof bound === "string") {
    return compareTimes(value, bound) === 0;
  }
  return value !== null && value === bound;
}
