import { greatCircleKm, type Place } from "./great-circle.ts";

const RADIANS_PER_DEGREE = Math.PI / 180;

/** Well above the rounding error of a sum of 0, as a fraction of the weights. */
const NO_DIRECTION = 1e-9;

/**
 * The weighted mean on the sphere: the direction of the sum of the weighted unit vectors. Identical
 * places give exactly the same place. Places that cancel out, as in a nearest-linkage group around
 * the Earth, have no mean; the result is then the first.
 * @param weights one for each place, positive
 */
export function meanPosition(places: readonly Place[], weights: readonly number[]): Place {
  const [first] = places;
  if (first === undefined) throw new RangeError("a mean needs at least one place");
  if (places.every((place) => greatCircleKm(first, place) === 0)) return first;

  let total = 0;
  let x = 0;
  let y = 0;
  let z = 0;
  places.forEach(({ latitude, longitude }, i) => {
    const weight = weights[i] ?? 0;
    total += weight;
    const cosine = Math.cos(latitude * RADIANS_PER_DEGREE);
    x += weight * cosine * Math.cos(longitude * RADIANS_PER_DEGREE);
    y += weight * cosine * Math.sin(longitude * RADIANS_PER_DEGREE);
    z += weight * Math.sin(latitude * RADIANS_PER_DEGREE);
  });
  if (Math.hypot(x, y, z) < NO_DIRECTION * total) return first;
  return {
    latitude: Math.atan2(z, Math.hypot(x, y)) / RADIANS_PER_DEGREE,
    longitude: Math.atan2(y, x) / RADIANS_PER_DEGREE,
  };
}
