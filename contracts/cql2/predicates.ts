/**
 * What CQL2 says of events: its operands and predicates, whichever of its two encodings they
 * were read from.
 */

import {
  faultOfLatitude,
  faultOfLongitude,
  isClosed,
  MAX_WKT_VERTICES,
  MIN_RING,
  type Position,
  type Shape,
} from "../geometry/shape.ts";
import { type Expression, negated, type Operator, type Property } from "../query/expression.ts";
import { ATTRIBUTES, type Attribute } from "../seismic-event/attributes.ts";
import { compareTimes, parseTime } from "../seismic-event/time.ts";

/** What predicates are said of. */
export type Operand = { readonly at: Place } & (
  | { readonly kind: "property"; readonly name: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "date" | "timestamp"; readonly text: string }
  | { readonly kind: "interval"; readonly ends: readonly [IntervalEnd, IntervalEnd] }
  /** As GeoJSON has it, not yet checked. */
  | { readonly kind: "geometry"; readonly geometry: unknown }
  | { readonly kind: "bbox"; readonly numbers: readonly number[] }
);

type OperandOf<Kind extends Operand["kind"]> = Extract<Operand, { kind: Kind }>;

/** A date, a time or `..` as written, or a property. */
export type IntervalEnd = { readonly at: Place } & (
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "property"; readonly name: string }
);

/** What a part of a filter is: an operand or a condition, and where it stands. */
export type Value =
  | Operand
  | { readonly at: Place; readonly kind: "condition"; readonly is: Expression };

/** @throws Cql2Fault */
export function conditionOf(value: Value): Expression {
  if (value.kind === "condition") return value.is;
  if (value.kind === "boolean") return value.value ? { all: [] } : { any: [] };
  throw new Cql2Fault("a condition is expected here", value.at);
}

/** @throws Cql2Fault */
export function operandOf(value: Value): Operand {
  if (value.kind !== "condition") return value;
  throw new Cql2Fault("a property or a literal is expected here", value.at);
}

/** @throws Cql2Fault */
export function pair<T>(items: readonly T[], at: Place): readonly [T, T] {
  const [first, second] = items;
  if (first !== undefined && second !== undefined && items.length === 2) return [first, second];
  throw new Cql2Fault("two operands are expected", at);
}

/** @throws Cql2Fault */
export function requireDepth(depth: number, at: Place): void {
  if (depth > CQL2_LIMITS.depth) {
    throw new Cql2Fault(`a filter has at most ${CQL2_LIMITS.depth} levels`, at);
  }
}

/** A filter that is no CQL2, or of a part of it that is not known here; the message tells where. */
export class Cql2Fault extends Error {
  /** @param at the number of the character from 1, or the path of a member of JSON; null for the whole */
  constructor(reason: string, at: Place) {
    super(
      typeof at === "number" ? `${reason} (character ${at})` : at ? `${reason} (${at})` : reason,
    );
  }
}

type Place = number | string | null;

/** Of a filter: 500 places in full precision have some 20,000 characters; each condition may be asked of a million rows. */
export const CQL2_LIMITS = {
  characters: 32_768,
  depth: 50,
  conditions: 100,
  vertices: MAX_WKT_VERTICES,
} as const;

export type Queryable =
  | { readonly kind: "geometry" }
  | { readonly kind: "time" | "number" | "text"; readonly property: Property };

const QUERYABLES = new Map<string, Queryable>([
  ["geometry", { kind: "geometry" }],
  ["time", { kind: "time", property: "time" }],
  ...Object.entries(ATTRIBUTES).map(([name, { kind }]: [string, Attribute]) => {
    const isNumber = kind === "number" || kind === "integer";
    const property = name as Property;
    return [name, { kind: isNumber ? "number" : "text", property } as const] as const;
  }),
]);

/** @throws Cql2Fault for another name */
function queryableOf({ name, at }: OperandOf<"property">): Queryable {
  const queryable = QUERYABLES.get(name);
  if (queryable === undefined) throw new Cql2Fault(`there is no queryable "${name}"`, at);
  return queryable;
}

/** The same said from the other side. */
const TURNED: Readonly<Record<Operator, Operator>> = {
  "=": "=",
  "<>": "<>",
  "<": ">",
  ">": "<",
  "<=": ">=",
  ">=": "<=",
};

export const isOperator = (text: string): text is Operator => Object.hasOwn(TURNED, text);

/** Of a property with a literal, in either order. @throws Cql2Fault */
export function compared(left: Operand, operator: Operator, right: Operand): Expression {
  if (left.kind === "property") return propertyIs(left, operator, right);
  if (right.kind === "property") return propertyIs(right, TURNED[operator], left);
  throw new Cql2Fault("one side of a comparison has to be a property", right.at);
}

function propertyIs(
  property: OperandOf<"property">,
  operator: Operator,
  literal: Operand,
): Expression {
  const queryable = scalarOf(property);
  if (queryable.kind === "time") return timeIs(operator, instantOf(literal));
  const value = valueFor(queryable, literal);
  return { kind: "compare", property: queryable.property, operator, value };
}

/** Both bounds are inside. @throws Cql2Fault */
export function between(operand: Operand, low: Operand, high: Operand): Expression {
  return { all: [compared(operand, ">=", low), compared(operand, "<=", high)] };
}

/** @throws Cql2Fault */
export function oneOf(operand: Operand, list: readonly Operand[]): Expression {
  if (list.length === 0) throw new Cql2Fault("the list of IN is empty", operand.at);
  if (operand.kind === "property") {
    const queryable = scalarOf(operand);
    if (queryable.kind !== "time") {
      const values = list.map((literal) => valueFor(queryable, literal));
      return { kind: "oneOf", property: queryable.property, values };
    }
  }
  return { any: list.map((item) => compared(operand, "=", item)) };
}

/** @throws Cql2Fault */
export function like(operand: Operand, pattern: Operand, ignoresCase = false): Expression {
  if (operand.kind !== "property") throw new Cql2Fault("LIKE is said of a property", operand.at);
  const queryable = scalarOf(operand);
  if (queryable.kind !== "text" || pattern.kind !== "text") {
    throw new Cql2Fault("LIKE takes a property of texts and a pattern", operand.at);
  }
  // PostgreSQL refuses a pattern that ends in the middle of an escape.
  if (/(?<!\\)(?:\\\\)*\\$/.test(pattern.value)) {
    throw new Cql2Fault("a pattern may not end with a single backslash", pattern.at);
  }
  const { property } = queryable;
  const condition = { kind: "like", property, pattern: textOf(pattern) } as const;
  return ignoresCase ? { ...condition, ignoresCase } : condition;
}

/** A literal is not null, and every event has a place. @throws Cql2Fault */
export function isNull(operand: Operand): Expression {
  if (operand.kind !== "property") return { any: [] };
  const queryable = queryableOf(operand);
  if (queryable.kind === "geometry") return { any: [] };
  return { kind: "isNull", property: queryable.property };
}

type Scalar = { readonly kind: "time" | "number" | "text"; readonly property: Property };

function scalarOf(property: OperandOf<"property">): Scalar {
  const queryable = queryableOf(property);
  if (queryable.kind !== "geometry") return queryable;
  throw new Cql2Fault("geometries are compared by S_INTERSECTS alone", property.at);
}

function valueFor({ kind, property }: Scalar, literal: Operand): number | string {
  if (kind === "number" && literal.kind === "number") return literal.value;
  if (kind === "text" && literal.kind === "text") return textOf(literal);
  const what = literal.kind === "property" ? "a literal" : `a ${kind}`;
  throw new Cql2Fault(`${property} is compared with ${what}`, literal.at);
}

/** NUL is no character of CQL2, nor of PostgreSQL's texts. */
function textOf({ value, at }: OperandOf<"text">): string {
  if (value.includes("\0")) throw new Cql2Fault("a text has no character 0", at);
  return value;
}

/** What a date or a time says: the first and the last microsecond of it, canonical. */
type Instant = { readonly first: string; readonly last: string };

const DATE = /^\d{4}-\d\d-\d\d$/;
/** RFC 3339, `date-time`. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * A date is the whole day in UTC, since origin times are timestamps. A text is cast, as clients of the drafts
 * of CQL write times.
 * @throws Cql2Fault
 */
function instantOf(operand: Operand): Instant {
  switch (operand.kind) {
    case "date":
      return instantIn(operand.text, DATE, operand);
    case "timestamp":
      return instantIn(operand.text, TIMESTAMP, operand);
    case "text":
      return instantIn(operand.value, null, operand);
    default:
      throw new Cql2Fault("a time is expected here", operand.at);
  }
}

function instantIn(text: string, form: RegExp | null, { at }: Operand): Instant {
  const first = form === null || form.test(text) ? parseTime(text.replace(/T$/, "")) : null;
  if (first === null) throw new Cql2Fault(`"${text}" is no such time`, at);
  if (!DATE.test(text)) return { first, last: first };
  return { first, last: `${text}T23:59:59.999999Z` };
}

/** Where the origin time stands to an instant. */
export function timeIs(operator: Operator, { first, last }: Instant): Expression {
  const is = (than: Operator, value: string): Expression => ({
    kind: "compare",
    property: "time",
    operator: than,
    value,
  });
  switch (operator) {
    case "=":
      return first === last ? is("=", first) : { all: [is(">=", first), is("<=", last)] };
    case "<>":
      return negated(timeIs("=", { first, last }));
    case "<":
    case ">=":
      return is(operator, first);
    default:
      return is(operator, last);
  }
}

/** The time of an event, a time that is written, or an open end. */
type End = "time" | Instant | typeof BEFORE_ALL | typeof AFTER_ALL;
const BEFORE_ALL = Number.NEGATIVE_INFINITY;
const AFTER_ALL = Number.POSITIVE_INFINITY;

type Interval = { readonly start: End; readonly end: End };
type Relation = (a: Interval, b: Interval) => Expression;

const all = (...conditions: Expression[]): Expression => ({ all: conditions });

/**
 * OGC 21-065r2, tables 7 and 8, after OWL-Time. An instant is an interval whose ends coincide, so that the
 * relations of intervals may be asked of an origin time.
 */
const RELATIONS = new Map<string, Relation>(
  Object.entries({
    t_after: (a, b) => stands(a.start, ">", b.end),
    t_before: (a, b) => stands(a.end, "<", b.start),
    t_disjoint: (a, b) => ({ any: [stands(a.end, "<", b.start), stands(a.start, ">", b.end)] }),
    t_intersects: (a, b) => all(stands(a.end, ">=", b.start), stands(a.start, "<=", b.end)),
    t_equals: (a, b) => all(stands(a.start, "=", b.start), stands(a.end, "=", b.end)),
    t_contains: (a, b) => all(stands(a.start, "<", b.start), stands(a.end, ">", b.end)),
    t_during: (a, b) => all(stands(a.start, ">", b.start), stands(a.end, "<", b.end)),
    t_finishedby: (a, b) => all(stands(a.start, "<", b.start), stands(a.end, "=", b.end)),
    t_finishes: (a, b) => all(stands(a.start, ">", b.start), stands(a.end, "=", b.end)),
    t_meets: (a, b) => stands(a.end, "=", b.start),
    t_metby: (a, b) => stands(a.start, "=", b.end),
    t_overlappedby: (a, b) =>
      all(stands(a.start, ">", b.start), stands(a.start, "<", b.end), stands(a.end, ">", b.end)),
    t_overlaps: (a, b) =>
      all(stands(a.start, "<", b.start), stands(a.end, ">", b.start), stands(a.end, "<", b.end)),
    t_startedby: (a, b) => all(stands(a.start, "=", b.start), stands(a.end, ">", b.end)),
    t_starts: (a, b) => all(stands(a.start, "=", b.start), stands(a.end, "<", b.end)),
  } satisfies Record<string, Relation>),
);

/** Null for a name that is none of a temporal function, in lower case. */
export function temporalRelation(name: string): ((a: Operand, b: Operand) => Expression) | null {
  const relation = RELATIONS.get(name);
  return relation === undefined ? null : (a, b) => relation(intervalOf(a), intervalOf(b));
}

/** @throws Cql2Fault */
function intervalOf(operand: Operand): Interval {
  if (operand.kind !== "interval") {
    const end = operand.kind === "property" ? timeOf(operand) : instantOf(operand);
    return { start: end, end };
  }
  const [first, last] = operand.ends;
  const interval = {
    start: endOf(first, BEFORE_ALL, ({ first: at }) => at),
    end: endOf(last, AFTER_ALL, ({ last: at }) => at),
  };
  const { start, end } = interval;
  if (start !== "time" && end !== "time" && order(start, end) > 0) {
    throw new Cql2Fault("the interval ends before it starts", operand.at);
  }
  return interval;
}

/** An interval of dates goes from the beginning of the first to the end of the last. */
function endOf(end: IntervalEnd, open: End, momentOf: (instant: Instant) => string): End {
  if (end.kind === "property") return timeOf(end);
  if (end.value === "..") return open;
  const moment = momentOf(instantOf(end));
  return { first: moment, last: moment };
}

function timeOf(property: IntervalEnd & { readonly kind: "property" }): End {
  if (queryableOf(property).kind === "time") return "time";
  throw new Cql2Fault(`"${property.name}" is no time`, property.at);
}

function stands(a: End, operator: Operator, b: End): Expression {
  if (a === "time" && typeof b === "object") return timeIs(operator, b);
  if (b === "time" && typeof a === "object") return timeIs(TURNED[operator], a);
  const difference = order(a, b);
  const holds = {
    "=": difference === 0,
    "<>": difference !== 0,
    "<": difference < 0,
    "<=": difference <= 0,
    ">": difference > 0,
    ">=": difference >= 0,
  };
  return holds[operator] ? { all: [] } : { any: [] };
}

/** Where one end of a pair is known to be earlier; a date and a time of that day coincide. */
function order(a: End, b: End): number {
  if (typeof a === "object" && typeof b === "object") {
    if (compareTimes(a.last, b.first) < 0) return -1;
    return compareTimes(a.first, b.last) > 0 ? 1 : 0;
  }
  const [rankA, rankB] = [a, b].map((end) => (typeof end === "number" ? Math.sign(end) : 0));
  return (rankA ?? 0) - (rankB ?? 0);
}

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
