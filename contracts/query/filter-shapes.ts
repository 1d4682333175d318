import { type Area, countVertices, type Shape, shapeOf } from "../geometry/shape.ts";
import { areaOfWkt, GeometryFault } from "../geometry/wkt.ts";

/** As many polygons are kept as they were read, for what is made of each of them. */
const MAX_KEPT = 64;
const kept = new Map<string, Shape>();

/** The shape of well-known text, the same one as long as it is kept. @throws GeometryFault */
export function shapeOfWkt(text: string): Shape {
  const known = kept.get(text);
  if (known !== undefined) kept.delete(text);
  const shape = known ?? shapeOf(areaOfWkt(text));
  kept.set(text, shape);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return shape;
}

const shapes = new WeakMap<Area, Shape>();

/** The shape of an area, the same one as long as there is the area. */
export function shapeOfArea(area: Area): Shape {
  const shape = shapes.get(area) ?? shapeOf(area);
  shapes.set(area, shape);
  return shape;
}

/** What is wrong with well-known text, and where. */
export function faultOfWkt(text: string): string | null {
  try {
    shapeOfWkt(text);
    return null;
  } catch (error) {
    if (error instanceof GeometryFault) return error.message;
    throw error;
  }
}

/** The area of a text that may be well-known text; null where it is none. */
export function wktArea(text: string | null): Area | null {
  return text !== null && faultOfWkt(text) === null ? shapeOfWkt(text).polygons : null;
}

export function polygonText(text: string): string {
  const area = wktArea(text);
  return area === null ? "within a polygon" : `within a polygon of ${countVertices(area)} vertices`;
}
