import {
  faultOfLatitude,
  faultOfLongitude,
  isClosed,
  MIN_RING,
  type Position,
  type Shape,
} from "../geometry/shape.ts";
import type { Expression } from "../query/expression.ts";
import { Cql2Fault, type Place } from "./cql2-fault.ts";
import type { Operand } from "./operand.ts";
import { queryableOf } from "./queryables.ts";

const METRES_PER_KM = 1000;

/** Of an event's place with a literal, in either order. @throws Cql2Fault */
export function intersects(a: Operand, b: Operand): Expression {
  const [property, literal] = a.kind === "property" ? [a, b] : [b, a];
  if (property.kind !== "property" || queryableOf(property).kind !== "geometry") {
    throw new Cql2Fault("S_INTERSECTS takes geometry and a literal", property.at);
  }
  if (literal.kind === "bbox") return inBox(literal.numbers, literal.at);
  if (literal.kind !== "geometry") throw new Cql2Fault("a geometry is expected here", literal.at);
  return { kind: "shape", shape: shapeOf(literal.geometry, literal.at) };
}

/**
 * West, south, east and north in degrees, and after south and north perhaps heights in metres, as those of
 * items; an event of unknown depth is in no box that has them. West of east is a box across the antimeridian.
 * @throws Cql2Fault
 */
export function inBox(numbers: readonly number[], at: Place): Expression {
  const is3d = numbers.length === 6;
  if (!is3d && numbers.length !== 4) throw new Cql2Fault("a box has 4 or 6 numbers", at);
  const [west = 0, south = 0, low = 0] = numbers;
  const [east = 0, north = 0, high = 0] = numbers.slice(is3d ? 3 : 2);
  const isOnGlobe = Math.abs(west) <= 180 && Math.abs(east) <= 180;
  if (
    !numbers.every(Number.isFinite) ||
    !isOnGlobe ||
    south < -90 ||
    north > 90 ||
    south > north ||
    (is3d && low > high)
  ) {
    throw new Cql2Fault(`${numbers.join(",")} is no box in degrees`, at);
  }
  const box: Expression = { kind: "box", west, south, east, north };
  if (!is3d) return box;
  const depth = (operator: "<=" | ">=", height: number): Expression => ({
    kind: "compare",
    property: "depth",
    operator,
    value: 0 - height / METRES_PER_KM,
  });
  return { all: [box, depth("<=", low), depth(">=", high)] };
}

type Parts = { polygons: Position[][][]; lines: Position[][]; points: Position[] };

/** Of a geometry as GeoJSON has it; heights do not count. @throws Cql2Fault */
function shapeOf(geometry: unknown, at: Place): Shape {
  const parts: Parts = { polygons: [], lines: [], points: [] };
  addTo(parts, geometry, at);
  return parts;
}

function addTo(parts: Parts, geometry: unknown, at: Place): void {
  const { type, coordinates, geometries } = Object(geometry) as Record<string, unknown>;
  const vertex = (value: unknown) => position(value, at);
  const line = (value: unknown) => atLeast(2, listOf(value, vertex, at), at);
  const polygon = (value: unknown) =>
    listOf(value, (ring) => closed(listOf(ring, vertex, at), at), at);
  switch (type) {
    case "Point":
      parts.points.push(vertex(coordinates));
      break;
    case "MultiPoint":
      parts.points.push(...listOf(coordinates, vertex, at));
      break;
    case "LineString":
      parts.lines.push(line(coordinates));
      break;
    case "MultiLineString":
      parts.lines.push(...listOf(coordinates, line, at));
      break;
    case "Polygon":
      parts.polygons.push(polygon(coordinates));
      break;
    case "MultiPolygon":
      parts.polygons.push(...listOf(coordinates, polygon, at));
      break;
    case "GeometryCollection":
      for (const part of listOf(geometries, simple(at), at)) addTo(parts, part, at);
      break;
    default:
      // The text of a list that is nested deeply would overflow the stack.
      if (typeof type !== "string") throw new Cql2Fault("there is no geometry of that type", at);
      throw new Cql2Fault(`there is no geometry "${type}"`, at);
  }
}

/** A collection holds no collections (21-065r2, Annex B, `geometryCollectionText`). */
const simple = (at: Place) => (geometry: unknown) => {
  if (Object(geometry).type !== "GeometryCollection") return geometry;
  throw new Cql2Fault("a collection holds no collection", at);
};

function listOf<T>(value: unknown, read: (item: unknown) => T, at: Place): T[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new Cql2Fault("a geometry is empty or has no coordinates", at);
  }
  return value.map(read);
}

function position(value: unknown, at: Place): Position {
  const numbers = listOf(value, (item) => (typeof item === "number" ? item : Number.NaN), at);
  const [longitude, latitude] = numbers;
  if (longitude === undefined || latitude === undefined || numbers.length > 3) {
    throw new Cql2Fault("a place is a longitude, a latitude and perhaps a height", at);
  }
  const fault = numbers.every(Number.isFinite)
    ? (faultOfLongitude(longitude) ?? faultOfLatitude(latitude))
    : "a place of other than numbers";
  if (fault !== null) throw new Cql2Fault(fault, at);
  return [longitude, latitude];
}

function atLeast<T>(count: number, list: T[], at: Place): T[] {
  if (list.length >= count) return list;
  throw new Cql2Fault(`a line or ring has at least ${count} places`, at);
}

function closed(ring: Position[], at: Place): Position[] {
  if (isClosed(ring)) return atLeast(MIN_RING, ring, at);
  throw new Cql2Fault("a ring is not closed", at);
}
