import { type Area, countVertices, MAX_WKT_VERTICES } from "#contracts/geometry/shape.ts";
import { azimuthTo, distanceKm } from "../model/great-circle.ts";
import { count, counted, decimal, latitude, longitude } from "../ui/text/format.ts";
import type { Shape } from "./shapes.ts";

/** What was drawn, in words. */
export function shapeInWords(shape: Shape): string {
  switch (shape.kind) {
    case "box": {
      const { south, north, west, east } = shape.bounds;
      return `Box ${latitude(south, 2)} to ${latitude(north, 2)}, ${longitude(west, 2)} to ${longitude(east, 2)}`;
    }
    case "circle":
      return `Within ${kilometres(shape.km)} of ${latitude(shape.middle.latitude, 2)} ${longitude(shape.middle.longitude, 2)}`;
    case "ruler": {
      const { from, to } = shape;
      const [there, back] = [azimuthTo(from, to), azimuthTo(to, from)];
      return `${kilometres(distanceKm(from, to))}, azimuth ${decimal(there, 1)}°, back ${decimal(back, 1)}°`;
    }
    case "section":
      return `Section of ${kilometres(distanceKm(shape.from, shape.to))}, ${kilometres(shape.halfWidthKm)} on each side`;
    case "polygon":
      return `Polygon of ${areaInWords(shape.area)}`;
    case "region":
      return shape.name === null ? "A saved region" : `Region ${shape.name}`;
    case "draft": {
      const drawn = counted(shape.vertices.length, "vertex", "vertices");
      return shape.vertices.length === MAX_WKT_VERTICES ? `${drawn}, no more are possible` : drawn;
    }
  }
}

/** "12 vertices", "40 vertices in 2 parts". */
export function areaInWords(area: Area): string {
  const vertices = counted(countVertices(area), "vertex", "vertices");
  return area.length === 1 ? vertices : `${vertices} in ${counted(area.length, "part")}`;
}

function kilometres(km: number): string {
  return `${km < 100 ? decimal(km, 1) : count(km)} km`;
}
