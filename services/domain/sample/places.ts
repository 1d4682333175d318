/** Degrees and kilometres on the small region of the sample. */
const KM_PER_DEGREE = 111.195;

export type Coordinates = { readonly latitude: number; readonly longitude: number };

/** The place some kilometres from another: `along` in the direction of `azimuth`, `across` to its right. */
export function placeAt(
  from: Coordinates,
  azimuth: number,
  along: number,
  across: number,
): Coordinates {
  const angle = (azimuth * Math.PI) / 180;
  const north = along * Math.cos(angle) - across * Math.sin(angle);
  const east = along * Math.sin(angle) + across * Math.cos(angle);
  const latitude = from.latitude + north / KM_PER_DEGREE;
  const perDegree = KM_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
  return { latitude, longitude: from.longitude + east / perDegree };
}
