import { countVertices } from "#contracts/geometry/shape.ts";
import { type Condition, conditionsIn } from "#contracts/query/expression.ts";
import { type EventFilters, expressionOf } from "#contracts/query/filters.ts";
import { unknownCase } from "#contracts/unknown-case.ts";

/** What is looked through for an answer. */
export type Searched = {
  /** Rows that may be read, at most. */
  readonly rows: number;
  readonly filters: EventFilters;
  /** Of each row, beside the filters. */
  readonly further?: number;
};

/** Of reading a row. */
const ROW = 3;
/** A cell of a shape's grid may have all of its edges: 0.6 µs for each. */
const VERTEX = 16;

/** What a search takes of PostgreSQL at most, in comparisons of a number: 5 to 50 ns. */
export function priceOf({ rows, filters, further = 0 }: Searched): number {
  const each = conditionsIn(expressionOf(filters)).map(priceOfCondition);
  return rows * each.reduce((sum, price) => sum + price, ROW + further);
}

/** Whether every row is meant. */
export function isOfAll(filters: EventFilters): boolean {
  return conditionsIn(expressionOf(filters)).length === 0;
}

function priceOfCondition(condition: Condition): number {
  switch (condition.kind) {
    case "compare":
    case "isNull":
    case "has":
    case "count":
      return 1;
    case "oneOf":
      return 1 + condition.values.length / 8;
    case "like":
      return 4 * (1 + condition.pattern.length);
    case "box":
      return 4;
    case "circle":
      return 16;
    case "shape": {
      const { polygons, lines, points } = condition.shape;
      return VERTEX * (1 + countVertices(polygons) + lines.flat().length + points.length);
    }
    default:
      return unknownCase(condition);
  }
}
