import { type Bounds, extendBounds, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import type { EventColumns } from "#contracts/seismic-event/seismic-event.ts";

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
