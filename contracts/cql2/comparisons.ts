import type { Expression, Operator, Property } from "../query/expression.ts";
import { Cql2Fault } from "./cql2-fault.ts";
import { instantOf, timeIs } from "./instants.ts";
import type { Operand, OperandOf } from "./operand.ts";
import { queryableOf } from "./queryables.ts";

/** The same said from the other side. */
export const TURNED: Readonly<Record<Operator, Operator>> = {
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
