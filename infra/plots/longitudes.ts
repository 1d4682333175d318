/**
 * Where a map of some longitudes begins, degrees: after the widest gap between them, so that a region
 * at the 180th meridian is not torn apart.
 */
export function westernEdge(longitudes: readonly number[]): number {
  const sorted = [...new Set(longitudes)].toSorted((a, b) => a - b);
  const first = sorted[0] ?? -180;
  let edge = first;
  let widest = first + 360 - (sorted.at(-1) ?? first);
  for (const [i, longitude] of sorted.entries()) {
    const gap = longitude - (sorted[i - 1] ?? longitude);
    if (gap > widest) {
      widest = gap;
      edge = longitude;
    }
  }
  return edge;
}

/** The same longitude from `edge` to less than 360° east of it. */
export function eastOf(edge: number, longitude: number): number {
  return longitude < edge ? longitude + 360 : longitude;
}

/** 175°E, 0°, 179.5°W. */
export function longitudeText(longitude: number): string {
  const wrapped = ((((longitude + 180) % 360) + 360) % 360) - 180;
  return degreesText(wrapped, "E", "W", 180);
}

export function latitudeText(latitude: number): string {
  return degreesText(latitude, "N", "S", 0);
}

function degreesText(value: number, above: string, below: string, neither: number): string {
  const rounded = Math.round(value * 1e6) / 1e6;
  const size = Math.abs(rounded);
  const side = size === 0 || size === neither ? "" : rounded > 0 ? above : below;
  return `${size}°${side}`;
}
