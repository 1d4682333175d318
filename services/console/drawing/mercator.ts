/**
 * Web Mercator (EPSG:3857) in units of the world's width: x from 0 at −180° to 1 at 180°, y from 0 at
 * 85.0511° N to 1 at 85.0511° S.
 */

/** Latitude beyond which the projection has no place, degrees. */
export const MAX_LATITUDE = 85.0511287798066;
/** Pixels of the whole world at zoom 0. */
export const TILE_SIZE = 256;

export function xOf(longitude: number): number {
  return longitude / 360 + 0.5;
}

export function yOf(latitude: number): number {
  const bounded = Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitude));
  const sine = Math.sin((bounded * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/** Pixels of the world's width at a zoom. */
export function worldSize(zoom: number): number {
  return TILE_SIZE * 2 ** zoom;
}

export type Projected = { readonly x: Float64Array; readonly y: Float64Array };

/** All places at once, in units of the world's width. */
export function project(latitude: Float32Array, longitude: Float32Array): Projected {
  const { length } = latitude;
  const x = new Float64Array(length);
  const y = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    x[i] = xOf(longitude[i] ?? 0);
    y[i] = yOf(latitude[i] ?? 0);
  }
  return { x, y };
}
