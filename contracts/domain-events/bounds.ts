import { compareTimes } from "../seismic-event/origin-time.ts";
import type { SeismicEventRecord } from "../seismic-event/seismic-event.ts";
import type { Bounds } from "./catalogue-events.ts";

type Bounded = Pick<SeismicEventRecord, "time" | "latitude" | "longitude" | "magnitude">;

/** The smallest bounds that contain both; commutative, with NO_BOUNDS as the neutral element. */
export function mergeBounds(a: Bounds, b: Bounds): Bounds {
  return {
    min_latitude: lower(a.min_latitude, b.min_latitude),
    max_latitude: higher(a.max_latitude, b.max_latitude),
    min_longitude: lower(a.min_longitude, b.min_longitude),
    max_longitude: higher(a.max_longitude, b.max_longitude),
    min_magnitude: lower(a.min_magnitude, b.min_magnitude),
    max_magnitude: higher(a.max_magnitude, b.max_magnitude),
    start_time: earlier(a.start_time, b.start_time),
    end_time: later(a.end_time, b.end_time),
  };
}

/** Extends `bounds` in place to contain `event`. */
export function extendBounds(bounds: Bounds, event: Bounded): void {
  bounds.min_latitude = lower(bounds.min_latitude, event.latitude);
  bounds.max_latitude = higher(bounds.max_latitude, event.latitude);
  bounds.min_longitude = lower(bounds.min_longitude, event.longitude);
  bounds.max_longitude = higher(bounds.max_longitude, event.longitude);
  bounds.min_magnitude = lower(bounds.min_magnitude, event.magnitude);
  bounds.max_magnitude = higher(bounds.max_magnitude, event.magnitude);
  bounds.start_time = earlier(bounds.start_time, event.time);
  bounds.end_time = later(bounds.end_time, event.time);
}

function lower(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return b < a ? b : a;
}

function higher(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return b > a ? b : a;
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return orderTimes(b, a) < 0 ? b : a;
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return orderTimes(b, a) > 0 ? b : a;
}

/** Orders by instant, equal instants by the number of digits: merging is deterministic. */
function orderTimes(a: string, b: string): number {
  return compareTimes(a, b) || a.length - b.length;
}
