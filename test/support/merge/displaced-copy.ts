import { microsToTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import type { Origin } from "#services/domain/merges/grouping/thresholds.ts";

export type Errors = {
  readonly seconds: number;
  /** Of the northward and of the eastward error each. */
  readonly kilometres: number;
};

/**
 * The same earthquakes as another agency would locate them: normal errors of the given σ in time
 * and along both axes. The copy of event i has the id of i with "copy" before it.
 */
export function displacedCopy(
  events: readonly Origin[],
  { seconds, kilometres }: Errors,
  random: () => number,
): Origin[] {
  return events.map((event) => {
    const micros = BigInt(Math.round(normal(random) * seconds * 1e6));
    const north = (normal(random) * kilometres) / KM_PER_DEGREE;
    const east = (normal(random) * kilometres) / KM_PER_DEGREE;
    const scale = Math.cos((event.latitude * Math.PI) / 180);
    return {
      source: 1,
      id: `copy ${event.id}`,
      time: microsToTime(timeToMicros(event.time) + micros, 6),
      latitude: event.latitude + north,
      longitude: wrapped(event.longitude + east / scale),
    };
  });
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function wrapped(longitude: number): number {
  if (longitude > 180) return longitude - 360;
  return longitude < -180 ? longitude + 360 : longitude;
}
