import { countVertices } from "../geometry/shape.ts";
import { type Condition, conditionsIn, type Expression, negated } from "../query/expression.ts";
import {
  between,
  CQL2_LIMITS,
  Cql2Fault,
  compared,
  conditionOf,
  type IntervalEnd,
  intersects,
  isNull,
  isOperator,
  like,
  type Operand,
  oneOf,
  operandOf,
  pair,
  requireDepth,
  temporalRelation,
  type Value,
} from "./predicates.ts";
import { readCql2Text } from "./text.ts";

/** `cql-text` is the draft's name, the one that GDAL knows; what GDAL writes under it is CQL2 Text. */
export const FILTER_LANGUAGES = ["cql2-text", "cql2-json", "cql-text"] as const;
export type FilterLanguage = (typeof FILTER_LANGUAGES)[number];

/** @throws Cql2Fault */
export function readFilter(text: string, language: FilterLanguage): Expression {
  if (text.length > CQL2_LIMITS.characters) {
    throw new Cql2Fault(`a filter has at most ${CQL2_LIMITS.characters} characters`, null);
  }
  const expression =
    language === "cql2-json" ? conditionOf(readValue(parsed(text), "", 1)) : readCql2Text(text);
  const conditions = conditionsIn(expression);
  if (conditions.length > CQL2_LIMITS.conditions) {
    throw new Cql2Fault(`a filter has at most ${CQL2_LIMITS.conditions} conditions`, null);
  }
  const vertices = conditions.reduce((sum, condition) => sum + verticesOf(condition), 0);
  if (vertices > CQL2_LIMITS.vertices) {
    throw new Cql2Fault(
      `the geometries of a filter have at most ${CQL2_LIMITS.vertices} places`,
      null,
    );
  }
  return expression;
}

function verticesOf(condition: Condition): number {
  if (condition.kind !== "shape") return 0;
  const { polygons, lines, points } = condition.shape;
  return countVertices(polygons) + lines.flat().length + points.length;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Cql2Fault(`is not JSON: ${(error as SyntaxError).message}`, null);
  }
}

/** Of CQL2 JSON (OGC 21-065r2, Annex C). @throws Cql2Fault, which tells the path of the member */
function readValue(value: unknown, at: string, depth: number): Value {
  if (typeof value === "number") return { kind: "number", value, at };
  if (typeof value === "string") return { kind: "text", value, at };
  if (typeof value === "boolean") return { kind: "boolean", value, at };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Cql2Fault("a condition, property or literal is expected here", at);
  }
  const { op, property, date, timestamp, interval, bbox } = value as Record<string, unknown>;
  if (typeof op === "string") {
    requireDepth(depth, at);
    return { kind: "condition", is: readOperation(op, value, at, depth), at };
  }
  if (typeof property === "string") return { kind: "property", name: property, at };
  if (typeof date === "string") return { kind: "date", text: date, at };
  if (typeof timestamp === "string") return { kind: "timestamp", text: timestamp, at };
  if (interval !== undefined) return { kind: "interval", ends: readEnds(interval, at), at };
  if (bbox !== undefined && !("type" in value)) return readBox(bbox, at);
  return { kind: "geometry", geometry: value, at };
}

function readOperation(op: string, value: object, at: string, depth: number): Expression {
  const path = at === "" ? "args" : `${at}.args`;
  const args: unknown = (value as { readonly args?: unknown }).args;
  if (!Array.isArray(args)) throw new Cql2Fault("a list is expected", path);
  const values = (list: readonly unknown[], of: string) =>
    list.map((item, i) => readValue(item, `${of}[${i}]`, depth + 1));
  const conditions = () => values(args, path).map(conditionOf);
  if (op === "and") return { all: conditions() };
  if (op === "or") return { any: conditions() };
  if (op === "not") return negated(only(conditions(), path));
  if (op === "in") {
    const [operand, list] = pair(args, path);
    if (!Array.isArray(list)) throw new Cql2Fault("a list is expected", `${path}[1]`);
    const left = operandOf(readValue(operand, `${path}[0]`, depth + 1));
    return oneOf(left, values(list, `${path}[1]`).map(operandOf));
  }
  return predicateOf(op, values(args, path).map(operandOf), path);
}

function predicateOf(op: string, operands: readonly Operand[], at: string): Expression {
  if (op === "isNull") return isNull(only(operands, at));
  if (op === "between") {
    const [operand, low, high] = operands;
    if (operand && low && high && operands.length === 3) return between(operand, low, high);
    throw new Cql2Fault("three operands are expected", at);
  }
  const [left, right] = pair(operands, at);
  if (isOperator(op)) return compared(left, op, right);
  if (op === "like") return like(left, right);
  const predicate = op === "s_intersects" ? intersects : temporalRelation(op.toLowerCase());
  if (predicate !== null) return predicate(left, right);
  throw new Cql2Fault(`there is no operator "${op}"`, at);
}

function only<T>(items: readonly T[], at: string): T {
  const [item] = items;
  if (item !== undefined && items.length === 1) return item;
  throw new Cql2Fault("one operand is expected", at);
}

function readEnds(interval: unknown, at: string): readonly [IntervalEnd, IntervalEnd] {
  if (!Array.isArray(interval)) throw new Cql2Fault("an interval is a list of two ends", at);
  const ends = interval.map((end, i): IntervalEnd => {
    const place = `${at}.interval[${i}]`;
    if (typeof end === "string") return { kind: "text", value: end, at: place };
    const { property } = Object(end) as { readonly property?: unknown };
    if (typeof property === "string") return { kind: "property", name: property, at: place };
    throw new Cql2Fault("an end is a text or a property", place);
  });
  return pair(ends, at);
}

function readBox(bbox: unknown, at: string): Operand {
  const isBox = Array.isArray(bbox) && bbox.every((number) => typeof number === "number");
  if (!isBox) throw new Cql2Fault("a box is a list of numbers", `${at}.bbox`);
  return { kind: "bbox", numbers: bbox, at };
}
