/** Degrees; longitudes may go beyond ±180, to ±360. */
export type Position = readonly [longitude: number, latitude: number];

/** The coordinates of a MultiPolygon as GeoJSON has them: rings are closed. */
export type Area = readonly (readonly (readonly Position[])[])[];

export type Shape = {
  readonly polygons: Area;
  readonly lines: readonly (readonly Position[])[];
  readonly points: readonly Position[];
};
