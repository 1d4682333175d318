import { type FragmentSqlToken, sql } from "slonik";
import { placeOfCount } from "#contracts/bulletin/bulletin-summary.ts";
import {
  type Condition,
  conditionsIn,
  type Expression,
  type Held,
  type Property,
} from "#contracts/query/expression.ts";
import { type EventFilters, expressionOf } from "#contracts/query/filters.ts";
import type { BulletinCounts } from "#contracts/seismic-event/bulletin-counts.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { withinBox, withinCircle } from "./place-conditions.ts";
import { withinShape } from "./shape-conditions.ts";

/** The condition of filters for rows of read_model.seismic_events. */
export function filterConditions(filters: EventFilters): FragmentSqlToken {
  return conditionOf(expressionOf(filters));
}

export function conditionOf(expression: Expression): FragmentSqlToken {
  const shapes = conditionsIn(expression).filter(({ kind }) => kind === "shape").length;
  return allOf([sql.fragment`true`, ...conjuncts(expression, 1 / Math.max(shapes, 1))]);
}

function allOf(conditions: readonly FragmentSqlToken[]): FragmentSqlToken {
  return conditions.length === 0
    ? sql.fragment`true`
    : sql.fragment`${sql.join(conditions, sql.fragment` and `)}`;
}

/**
 * What all have to hold. As in SQL, a null attribute satisfies no comparison.
 * @param share that each shape has of the work for all of the filter
 */
function conjuncts(expression: Expression, share: number): readonly FragmentSqlToken[] {
  if ("all" in expression) return expression.all.flatMap((each) => conjuncts(each, share));
  if ("any" in expression) return [anyOf(expression.any, share)];
  const conditions = conditionsOf(expression, share);
  return "isNot" in expression && expression.isNot
    ? [sql.fragment`not (${allOf(conditions)})`]
    : conditions;
}

function anyOf(expressions: readonly Expression[], share: number): FragmentSqlToken {
  if (expressions.length === 0) return sql.fragment`false`;
  const each = expressions.map((expression) => allOf(conjuncts(expression, share)));
  return sql.fragment`(${sql.join(each, sql.fragment` or `)})`;
}

function conditionsOf(condition: Condition, share: number): readonly FragmentSqlToken[] {
  switch (condition.kind) {
    case "compare":
      return [compared(condition)];
    case "oneOf":
      return [oneOf(condition)];
    case "like":
      return [like(condition)];
    case "isNull":
      return [sql.fragment`${column(condition.property)} is null`];
    case "box":
      return withinBox(condition);
    case "circle":
      return withinCircle(condition);
    case "shape":
      return withinShape(condition.shape, share);
    case "has":
      return [sql.fragment`(${allOf(condition.held.map(holds))})`];
    case "count":
      return [sql.fragment`${NUMBER_OF[condition.of]} >= ${condition.atLeast}`];
    default:
      return unknownCase(condition);
  }
}

const column = (name: Property) => sql.identifier([name]);

const OPERATORS = {
  "=": sql.fragment`=`,
  "<>": sql.fragment`<>`,
  "<": sql.fragment`<`,
  "<=": sql.fragment`<=`,
  ">": sql.fragment`>`,
  ">=": sql.fragment`>=`,
} as const;

type Compare = Extract<Condition, { kind: "compare" }>;

function compared({ property, operator, value }: Compare): FragmentSqlToken {
  const by = OPERATORS[operator];
  if (property === "time") return sql.fragment`time ${by} ${value}::timestamptz`;
  if (typeof value === "string") {
    const isOrder = operator !== "=" && operator !== "<>";
    const collation = isOrder ? sql.fragment` collate "C"` : sql.fragment``;
    return sql.fragment`${column(property)}${collation} ${by} ${value}`;
  }
  // Written like the index expression; an unknown magnitude is below every bound.
  if (property === "magnitude" && operator === ">=") {
    return sql.fragment`coalesce(magnitude, '-infinity'::double precision) >= ${value}`;
  }
  return sql.fragment`${column(property)} ${by} ${value}::double precision`;
}

type OneOf = Extract<Condition, { kind: "oneOf" }>;

/**
 * The values of every enumeration are in lower case, and compared without lower(): the planner has no
 * statistics for it and would read all catalogues for a common value.
 */
function oneOf({ property, values, ignoresCase }: OneOf): FragmentSqlToken {
  const type =
    typeof values[0] === "number" ? "float8" : property === "time" ? "timestamptz" : "text";
  const list = sql.array([...values], type);
  return ignoresCase
    ? sql.fragment`lower(${column(property)}) = any(${list})`
    : sql.fragment`${column(property)} = any(${list})`;
}

function like({ property, pattern, ignoresCase }: Extract<Condition, { kind: "like" }>) {
  return ignoresCase
    ? sql.fragment`${column(property)} ilike ${pattern}`
    : sql.fragment`${column(property)} like ${pattern}`;
}

/** Null of a row without a bulletin. */
function countOf(name: keyof BulletinCounts): FragmentSqlToken {
  // PostgreSQL counts from 1.
  return sql.fragment`bulletin_counts[${placeOfCount(name) + 1}::int]`;
}

const NUMBER_OF = {
  origins: sql.fragment`coalesce(${countOf("origins")}, 1)`,
  magnitudes: sql.fragment`coalesce(${countOf("magnitudes")},
          case when magnitude is null then 0 else 1 end)`,
} as const;

function holds(held: Held): FragmentSqlToken {
  if (held === "bulletin") return sql.fragment`bulletin_revision is not null`;
  const ofBulletin = sql.fragment`coalesce(${countOf(held)} > 0, false)`;
  return held === "focal_mechanisms"
    ? sql.fragment`(${sql.identifier([held])} is not null or ${ofBulletin})`
    : ofBulletin;
}
