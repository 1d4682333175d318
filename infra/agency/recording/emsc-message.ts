import type { AgencyEvent } from "../agency-event.ts";

/** Codes of EMSC: felt or not, what it was, of which earthquakes alone are told apart here. */
const EARTHQUAKE = "ke";

/**
 * An event in the shape of EMSC's live messages: the depth is positive in the properties and a height in the geometry,
 * both in km.
 * @param updatedAt when the agency last changed it, ISO 8601 UTC
 */
export function emscMessage(id: string, event: AgencyEvent, updatedAt: string): string {
  const { time, latitude, longitude, depth = null, magnitude = null, region = null } = event;
  const height = typeof depth === "number" ? -depth : null;
  const type = event["magnitude_type"];
  return JSON.stringify({
    action: "update",
    data: {
      type: "Feature",
      geometry: { type: "Point", coordinates: [longitude, latitude, height] },
      id,
      properties: {
        ...{ source_id: id, lastupdate: updatedAt, time, flynn_region: region, depth },
        ...{ lat: latitude, lon: longitude, evtype: EARTHQUAKE, mag: magnitude },
        ...{ magtype: typeof type === "string" ? type.toLowerCase() : null, unid: id },
      },
    },
  });
}
