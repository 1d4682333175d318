/** So that −39.0 belongs to the cell that begins there, whatever the division leaves. */
const TOLERANCE = 1e-9;

/** The cell of a latitude or of a longitude: ⌊degrees / size⌋. @param size of a cell, degrees */
export function cellOf(degrees: number, size: number): number {
  return Math.floor(degrees / size + TOLERANCE);
}

/**
 * As `cellOf`, with 180° in the cell that begins at −180°: both are the same meridian.
 * @param longitude −180° to 180°
 */
export function cellOfLongitude(longitude: number, size: number): number {
  const isDateLine = longitude >= 180 - TOLERANCE * size;
  return cellOf(isDateLine ? longitude - 360 : longitude, size);
}
