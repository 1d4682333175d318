import { decimal } from "../../../ui/text/format.ts";

type GeoPoint = { readonly latitude: number; readonly longitude: number };

const POINTS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"] as const;
const DEGREES = 180 / Math.PI;

/** Where the second place lies as seen from the first: degrees clockwise from north, on the sphere. */
export function azimuth(first: GeoPoint, second: GeoPoint): number {
  const [from, to] = [first.latitude / DEGREES, second.latitude / DEGREES];
  const east = (second.longitude - first.longitude) / DEGREES;
  const x = Math.sin(east) * Math.cos(to);
  const y = Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(east);
  return (Math.atan2(x, y) * DEGREES + 360) % 360;
}

/** How far the second is from the first, and where to: "3.2 km NE". */
export function offsetText(first: GeoPoint, second: GeoPoint, distanceKm: number): string {
  const far = decimal(distanceKm, 1);
  // What rounds to nothing has no direction.
  if (Number(far) === 0) return "0.0 km";
  return `${far} km ${POINTS[Math.round(azimuth(first, second) / 45) % 8]}`;
}
