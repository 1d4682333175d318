import { countVertices } from "../geometry/shape.ts";
import { type Condition, conditionsIn, type Expression } from "../query/expression.ts";
import { CQL2_LIMITS, Cql2Fault } from "./cql2-fault.ts";
import { readCql2Json } from "./json-reader.ts";
import { readCql2Text } from "./text-reader.ts";

/** `cql-text` is the draft's name, the one that GDAL knows; what GDAL writes under it is CQL2 Text. */
export const FILTER_LANGUAGES = ["cql2-text", "cql2-json", "cql-text"] as const;
export type FilterLanguage = (typeof FILTER_LANGUAGES)[number];

/** @throws Cql2Fault */
export function readFilter(text: string, language: FilterLanguage): Expression {
  if (text.length > CQL2_LIMITS.characters) {
    throw new Cql2Fault(`a filter has at most ${CQL2_LIMITS.characters} characters`, null);
  }
  const expression = language === "cql2-json" ? readCql2Json(text) : readCql2Text(text);
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
