import type { Expression } from "../query/expression.ts";
import { CQL2_LIMITS, Cql2Fault, type Place } from "./cql2-fault.ts";
import type { Operand } from "./operand.ts";

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
