/** Degrees, as GeoJSON has them. A number means its shortest decimal. */
export type Position = readonly [longitude: number, latitude: number];

/** Closed: its last position is its first. */
export type Ring = readonly Position[];

/**
 * The coordinates of a MultiPolygon. A place is in one of its polygons by even and odd, so that further rings are
 * holes; edges are straight in longitude and latitude and inside. Longitudes reach from −360 to 360: a place counts
 * by each of its longitudes in there.
 */
export type Area = readonly (readonly Ring[])[];

/** An area as GeoJSON (RFC 7946) has it. */
export type AreaGeometry =
  | { readonly type: "Polygon"; readonly coordinates: readonly Ring[] }
  | { readonly type: "MultiPolygon"; readonly coordinates: Area };

/** What a place is on or in. A pole, which all meridians meet, is in every shape that touches its latitude. */
export type Shape = {
  readonly polygons: Area;
  readonly lines: readonly (readonly Position[])[];
  readonly points: readonly Position[];
};

const MAX_LONGITUDE = 360;
const MAX_LATITUDE = 90;

/** Positions of a ring, at least, its first again among them. */
export const MIN_RING = 4;

export function shapeOf(area: Area): Shape {
  return { polygons: area, lines: [], points: [] };
}

export function areaOfGeometry(geometry: AreaGeometry): Area {
  return geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
}

/** Vertices without the closing ones. */
export function countVertices(area: Area): number {
  return area.flat().reduce((sum, ring) => sum + ring.length - 1, 0);
}

/** What is wrong with a number; null where nothing is. */
export function faultOfLongitude(degrees: number): string | null {
  return Math.abs(degrees) <= MAX_LONGITUDE ? null : "a longitude beyond ±360";
}

export function faultOfLatitude(degrees: number): string | null {
  return Math.abs(degrees) <= MAX_LATITUDE ? null : "a latitude beyond ±90";
}

export function isClosed(ring: Ring): boolean {
  const [first, last] = [ring[0], ring.at(-1)];
  return first?.[0] === last?.[0] && first?.[1] === last?.[1];
}
