import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { xOf, yOf } from "../../drawing/mercator.ts";

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
  const points = unbroken(
    coordinates.map(([longitude = 0, latitude = 0]) => [xOf(longitude), yOf(latitude)]),
  );
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return {
    points: Float64Array.from(points.flat()),
    left: Math.min(...xs),
    right: Math.max(...xs),
    top: Math.min(...ys),
    bottom: Math.max(...ys),
  };
}

type Point = readonly [x: number, y: number];

/**
 * A line that goes on beyond the date line where it crosses it, in place of jumping to the other side
 * of the world. One around a pole ends a turn away from its beginning, and is closed along the map's edge.
 */
function unbroken(ring: readonly Point[]): readonly Point[] {
  const whole = continued(ring);
  const [first, last] = [whole[0], whole.at(-1)];
  if (!first || !last || Math.abs(last[0] - first[0]) < 0.5) return whole;
  // Where the ring is cut open it is nearest to the pole: there the cut is not seen.
  const open = ring.slice(0, -1);
  const fromEdge = ([, y]: Point) => Math.min(y, 1 - y);
  const nearest = open.reduce((best, point) => (fromEdge(point) < fromEdge(best) ? point : best));
  const at = open.indexOf(nearest);
  const around = continued([...open.slice(at), ...open.slice(0, at), nearest]);
  const edge = nearest[1] < 0.5 ? 0 : 1;
  return [[around[0]?.[0] ?? 0, edge], ...around, [around.at(-1)?.[0] ?? 0, edge]];
}

/** Each point on that turn of the world that is nearest to the point before. */
function continued(points: readonly Point[]): readonly Point[] {
  let before = points[0]?.[0] ?? 0;
  return points.map(([x, y]) => {
    before = x + Math.round(before - x);
    return [before, y];
  });
}
