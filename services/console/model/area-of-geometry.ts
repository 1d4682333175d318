import type { RegionGeometry } from "#contracts/geometry/region-geometry.ts";
import type { Area } from "#contracts/geometry/shape.ts";

type Geometry = RegionGeometry;

export function areaOfGeometry(geometry: Geometry): Area {
  return geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
}

export function geometryOfArea(area: Area): Geometry {
  const [only] = area;
  return only !== undefined && area.length === 1
    ? { type: "Polygon", coordinates: only }
    : { type: "MultiPolygon", coordinates: area };
}
