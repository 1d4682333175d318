import { extendBounds } from "#contracts/domain-events/bounds.ts";
import { type Bounds, NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import type { EventColumns } from "#contracts/seismic-event/event-columns.ts";

/** Bounds of all rows; NO_BOUNDS without rows. Longitudes are not wrapped. */
export function boundsOf({ length, columns }: EventColumns): Bounds {
  const bounds = { ...NO_BOUNDS };
  for (let i = 0; i < length; i++) {
    const time = columns.time[i];
    const latitude = columns.latitude[i];
    const longitude = columns.longitude[i];
    if (time === undefined || latitude === undefined || longitude === undefined) continue;
    extendBounds(bounds, { time, latitude, longitude, magnitude: columns.magnitude?.[i] ?? null });
  }
  return bounds;
}
