import type { Shape } from "../geometry/shape.ts";
import type { AttributeName } from "../seismic-event/attributes.ts";
import { COUNTED_OBJECTS } from "../seismic-event/bulletin-objects.ts";

/**
 * Which events are meant: a tree of conditions, as every list of filters and every filter of another language is
 * read before it becomes SQL or a predicate. `all` of nothing is every event, `any` of nothing none.
 */
export type Expression =
  | { readonly all: readonly Expression[] }
  | { readonly any: readonly Expression[] }
  | Condition;

/** What conditions compare: the time and every attribute that is one number or one text. */
export type Property = "time" | AttributeName;

/** What events may have, of their bulletins but for mechanisms, which rows have too. */
export const HELD = ["bulletin", ...COUNTED_OBJECTS, "comments"] as const;
export type Held = (typeof HELD)[number];

/** Degrees, inclusive; a west above the east is a box across the antimeridian. Absent bounds leave out nothing. */
export type Box = {
  readonly west?: number | undefined;
  readonly east?: number | undefined;
  readonly south?: number | undefined;
  readonly north?: number | undefined;
};

/** Great-circle distances from a centre in kilometres, inclusive. */
export type Circle = {
  readonly latitude: number;
  readonly longitude: number;
  readonly minKm?: number | undefined;
  readonly maxKm?: number | undefined;
};

/**
 * One condition. An unknown attribute satisfies none but `isNull`, and no negation of one either. Times are
 * compared as times, their values are in canonical form; texts as PostgreSQL's collation C orders them.
 */
export type Condition =
  | {
      readonly kind: "compare";
      readonly property: Property;
      readonly operator: Operator;
      readonly value: number | string;
    }
  | (Negatable & {
      readonly kind: "oneOf";
      readonly property: Property;
      readonly values: readonly (number | string)[];
      /** The values are in lower case then. */
      readonly ignoresCase?: true;
    })
  /** `%` is any text and `_` any character, but behind a backslash. */
  | (Negatable & {
      readonly kind: "like";
      readonly property: Property;
      readonly pattern: string;
      readonly ignoresCase?: true;
    })
  | (Negatable & { readonly kind: "isNull"; readonly property: Property })
  /** A pole is in every box that touches it. */
  | (Negatable & { readonly kind: "box" } & Box)
  | (Negatable & { readonly kind: "circle" } & Circle)
  /** The place is in the shape or on its edge. */
  | (Negatable & { readonly kind: "shape"; readonly shape: Shape })
  | (Negatable & { readonly kind: "has"; readonly held: readonly Held[] })
  /** An event without a bulletin has one origin, and a magnitude where that is known. */
  | (Negatable & {
      readonly kind: "count";
      readonly of: "origins" | "magnitudes";
      readonly atLeast: number;
    });

/** All conditions of an expression, however they go together. */
export function conditionsIn(expression: Expression): readonly Condition[] {
  if ("kind" in expression) return [expression];
  return ("all" in expression ? expression.all : expression.any).flatMap(conditionsIn);
}

type Negatable = { readonly isNot?: true };

export type Operator = keyof typeof OPPOSITES;

const OPPOSITES = {
  "=": "<>",
  "<>": "=",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
} as const;

/**
 * The events that do not satisfy an expression, as far as they are known: the negation is that of each condition,
 * so that an unknown attribute satisfies neither.
 */
export function negated(expression: Expression): Expression {
  if ("all" in expression) return { any: expression.all.map(negated) };
  if ("any" in expression) return { all: expression.any.map(negated) };
  if (expression.kind === "compare") {
    return { ...expression, operator: OPPOSITES[expression.operator] };
  }
  const { isNot, ...condition } = expression;
  return isNot ? condition : { ...condition, isNot: true };
}
