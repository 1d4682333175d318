import type { Place } from "../../../model/great-circle.ts";
import { windFrom } from "../../../model/places.ts";
import { decimal } from "../../../ui/text/format.ts";

/** How far the second is from the first, and where to: "3.2 km NE". */
export function offsetText(first: Place, second: Place, distanceKm: number): string {
  const far = decimal(distanceKm, 1);
  // What rounds to nothing has no direction.
  return Number(far) === 0 ? "0.0 km" : `${far} km ${windFrom(first, second, 8)}`;
}
