import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { xOf, yOf } from "../mercator.ts";

type Objects = Readonly<Record<string, GeometryCollection>>;

/** A closed line around land or around a lake, in units of the world's width (mercator.ts). */
export type Ring = {
  readonly points: Float64Array;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
};

/** The rings of all areas of a file: of land, of lakes (Natural Earth). */
export function ringsOf(topology: Topology<Objects>): readonly Ring[] {
  const areas = Object.values(topology.objects).flatMap(
    (object) => feature(topology, object).features,
  );
  return areas.flatMap(({ geometry }) => {
    if (geometry.type === "Polygon") return geometry.coordinates.map(ringOf);
    if (geometry.type === "MultiPolygon") return geometry.coordinates.flat().map(ringOf);
    return [];
  });
}

function ringOf(coordinates: readonly (readonly number[])[]): Ring {
  const points = Float64Array.from(
    coordinates.flatMap(([longitude = 0, latitude = 0]) => [xOf(longitude), yOf(latitude)]),
  );
  let [left, right, top, bottom] = [2, -1, 2, -1];
  for (let i = 0; i < points.length; i += 2) {
    const [x, y] = [points[i] ?? 0, points[i + 1] ?? 0];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { points, left, right, top, bottom };
}
