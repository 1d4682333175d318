import { ATTRIBUTE_NAMES, type AttributeName } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

/** Attributes whose measured values are never exactly 0: many catalogues write 0 for unknown. */
export const NEVER_ZERO: ReadonlySet<AttributeName> = new Set([
  "azimuthal_gap",
  "standard_error",
  "magnitude_uncertainty",
  "depth_uncertainty",
  "horizontal_uncertainty",
  "time_uncertainty",
  "latitude_uncertainty",
  "longitude_uncertainty",
]);

/** Attributes without meaning when the magnitude itself is unknown. */
const OF_MAGNITUDE: ReadonlySet<AttributeName> = new Set([
  "magnitude_type",
  "magnitude_uncertainty",
  "magnitude_station_count",
]);

/** Whether an uncertainty, RMS or gap is known: 0 means unknown. */
export function isMeasured(value: number | null): value is number {
  return value !== null && value !== 0;
}

/** Number of documented attributes that are not null, without `extra` and a merge's provenance. */
export function countPopulatedFields(record: SeismicEventRecord): number {
  return countFields(record, (name) => record[name] !== null);
}

/** Like `countPopulatedFields`, without 0 for unknown and without attributes of an unknown magnitude. */
export function countKnownFields(record: SeismicEventRecord): number {
  return countFields(record, (name) => {
    const value = record[name];
    if (value === null || (value === 0 && NEVER_ZERO.has(name))) return false;
    return record.magnitude !== null || !OF_MAGNITUDE.has(name);
  });
}

function countFields(
  record: SeismicEventRecord,
  isCounted: (name: AttributeName) => boolean,
): number {
  let count = record.focal_mechanisms === null ? 0 : 1;
  for (const name of ATTRIBUTE_NAMES) if (isCounted(name)) count++;
  return count;
}
