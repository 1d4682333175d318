/**
 * What filters select: their condition in SQL, the rows of a version that satisfy it, in which
 * order, and the price of looking for them.
 */

import { type FragmentSqlToken, sql } from "slonik";
import { placeOfCount } from "#contracts/bulletin/counts.ts";
import { unknownCase } from "#contracts/cases.ts";
import { countVertices } from "#contracts/geometry/shape.ts";
import {
  type Box,
  type Circle,
  type Condition,
  conditionsIn,
  type Expression,
  type Held,
  type Property,
} from "#contracts/query/expression.ts";
import { type EventFilters, expressionOf } from "#contracts/query/filters.ts";
import type { EventOrder } from "#contracts/query/parameters.ts";
import type { BulletinCounts } from "#contracts/seismic-event/bulletin-counts.ts";
import { EARTH_RADIUS_KM } from "#contracts/units.ts";
import type { EventKey } from "./pages.ts";
import { withinShape } from "./shape-conditions.ts";
import { type ResolvedVersion, visibleAt } from "./versions.ts";

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

/** Larger than any rounding error; the exact test follows. */
const BAND_MARGIN_DEG = 1e-6;

/**
 * A circle this close to a pole is treated as containing it, since its meridians are numerically
 * unstable.
 */
const POLE_MARGIN_DEG = 1e-3;

const DEGREE = Math.PI / 180;

/** A tenth of a micrometre on the ground. */
const SAME_PLACE_DEG = 1e-12;

/** All have to hold. A pole, which all meridians meet, is inside every box that touches it. */
function withinBox({ south, north, west, east }: Box): readonly FragmentSqlToken[] {
  const conditions: FragmentSqlToken[] = [];
  if (south !== undefined) conditions.push(sql.fragment`latitude >= ${south}::double precision`);
  if (north !== undefined) conditions.push(sql.fragment`latitude <= ${north}::double precision`);
  const between = withinLongitudes(west, east);
  if (between === null) return conditions;
  const touchesPole = (south ?? -90) <= -90 || (north ?? 90) >= 90;
  conditions.push(touchesPole ? sql.fragment`(${between} or abs(latitude) = 90)` : between);
  return conditions;
}

/** A lower bound above the upper one is a box across the antimeridian; ±180° are the same meridian. */
function withinLongitudes(west: number | undefined, east: number | undefined) {
  if (west === undefined && east === undefined) return null;
  const min = west ?? -180;
  const max = east ?? 180;
  if (min > max) return sql.fragment`(longitude >= ${min} or longitude <= ${max})`;
  const touches = min === -180 || max === 180;
  return touches
    ? sql.fragment`(longitude between ${min} and ${max} or abs(longitude) = 180)`
    : sql.fragment`longitude between ${min} and ${max}`;
}

/**
 * Great-circle distance to a centre, by the haversine formula; all have to hold. A box around the circle, for
 * which there is an index, is tested first.
 */
function withinCircle({ latitude, longitude, minKm, maxKm }: Circle): FragmentSqlToken[] {
  const distance = sql.fragment`${2 * EARTH_RADIUS_KM}::double precision * asin(least(1, sqrt(
    ${haversine("latitude", latitude)}
      + cosd(latitude) * cosd(${latitude}) * ${haversine("longitude", longitude)})))`;
  const conditions: FragmentSqlToken[] = [];
  if (maxKm !== undefined) {
    const radiusDeg = maxKm / EARTH_RADIUS_KM / DEGREE + BAND_MARGIN_DEG;
    conditions.push(
      sql.fragment`latitude between ${latitude - radiusDeg} and ${latitude + radiusDeg}`,
      withinMeridians(latitude, longitude, radiusDeg),
      sql.fragment`${distance} <= ${maxKm}`,
    );
  }
  if (minKm !== undefined) conditions.push(sql.fragment`${distance} >= ${minKm}`);
  return conditions;
}

/**
 * Between the meridians that touch a circle; everywhere for a circle around a pole, which all meridians
 * cross.
 */
function withinMeridians(latitude: number, longitude: number, radiusDeg: number): FragmentSqlToken {
  if (Math.abs(latitude) + radiusDeg > 90 - POLE_MARGIN_DEG) return sql.fragment`true`;
  const sine = Math.sin(radiusDeg * DEGREE) / Math.cos(latitude * DEGREE);
  const halfWidthDeg = Math.asin(sine) / DEGREE + BAND_MARGIN_DEG;
  const [west, east] = [onGlobe(longitude - halfWidthDeg), onGlobe(longitude + halfWidthDeg)];
  return withinLongitudes(west, east) ?? sql.fragment`true`;
}

/** The longitude normalised to −180 to 180 degrees. */
function onGlobe(longitude: number): number {
  if (longitude < -180) return longitude + 360;
  return longitude > 180 ? longitude - 360 : longitude;
}

/**
 * sin²(Δ/2), in degrees so that poles and the antimeridian are exact. PostgreSQL raises an error
 * when a product underflows, so tiny differences are set to 0.
 */
function haversine(name: "latitude" | "longitude", centre: number): FragmentSqlToken {
  const apart = sql.fragment`(${sql.identifier([name])} - ${centre}::double precision)`;
  return sql.fragment`power(sind(
    case when abs(${apart}) < ${SAME_PLACE_DEG}::double precision then 0 else ${apart} / 2 end), 2)`;
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

function compared({ property, operator, value }: Extract<Condition, { kind: "compare" }>) {
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

/**
 * The values of every enumeration are in lower case, and compared without lower(): the planner has no
 * statistics for it and would read all catalogues for a common value.
 */
function oneOf({ property, values, ignoresCase }: Extract<Condition, { kind: "oneOf" }>) {
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

/** The events of one version that satisfy the filters. */
export type AnalysisSelection = {
  readonly version: Pick<ResolvedVersion, "id" | "key" | "version">;
  readonly filters: EventFilters;
};

/** Their rows, for a statement's `from`, planned for the filters' actual values where it is not prepared. */
export function selectedEvents({ version, filters }: AnalysisSelection): FragmentSqlToken {
  return sql.fragment`read_model.seismic_events
    where ${visibleAt(version)} and ${filterConditions(filters)}`;
}

/** Times as ISO 8601 with microseconds, so that texts compare, as `start` and `end`. */
export function asTimes(first: FragmentSqlToken, last: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    to_char(${first} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as start,
    to_char(${last} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "end"`;
}

/** The first and last time of a group of rows. */
export const TIMES_OF_GROUP = asTimes(sql.fragment`min(time)`, sql.fragment`max(time)`);

/**
 * A number of a row divided by a width, for its bin. PostgreSQL refuses quotients too small for a
 * double, which are as good as 0.
 */
export function inWidths(value: FragmentSqlToken, width: number): FragmentSqlToken {
  return sql.fragment`
    (case when abs(${value}) < 1e-300 then 0 else ${value} end / ${width}::double precision)`;
}

/** A magnitude's bin ⌊m / binWidth + 0.5 + 10⁻¹²⌋, as `binOf` has it, or with width 0 itself. */
export function magnitudeBin(binWidth: number): FragmentSqlToken {
  const magnitude = sql.fragment`magnitude`;
  return binWidth === 0
    ? magnitude
    : sql.fragment`floor(${inWidths(magnitude, binWidth)} + (0.5 + 1e-12::double precision))`;
}

/** The same in an order, as a reader may see them. */
export type EventSelection = AnalysisSelection & {
  readonly version: Pick<ResolvedVersion, "hidden" | "eventCount">;
  readonly order: EventOrder;
};

/** One side of a place in an order. */
export type Side = { readonly key: EventKey; readonly side: "after" | "before" };

/** Where a page begins. */
export type PageStart =
  | { readonly offset: number }
  | Side
  /** A number of events after a key. */
  | { readonly after: EventKey; readonly offset: number };

const MAGNITUDE = orderable(sql.fragment`magnitude`);

function orderable(magnitude: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`coalesce(${magnitude}, '-infinity'::double precision)`;
}

function isDescending(order: EventOrder, backwards: boolean): boolean {
  return order.endsWith("-asc") === backwards;
}

/**
 * The order of a page, or its opposite.
 * @param magnitude by which is ordered, where that is not the shown one
 */
export function orderBy(order: EventOrder, backwards: boolean, magnitude?: FragmentSqlToken) {
  const direction = isDescending(order, backwards) ? sql.fragment`desc` : sql.fragment`asc`;
  const byTime = sql.fragment`time ${direction}, event_id ${direction}`;
  if (!order.startsWith("magnitude")) return byTime;
  const value = magnitude === undefined ? MAGNITUDE : orderable(magnitude);
  return sql.fragment`${value} ${direction}, ${byTime}`;
}

/** A row comparison with the key, which PostgreSQL turns into one index range. */
export function beyond(order: EventOrder, { key, side }: Side): FragmentSqlToken {
  const than = isDescending(order, side === "before") ? sql.fragment`<` : sql.fragment`>`;
  const { magnitude, time, id } = key;
  return order.startsWith("magnitude")
    ? sql.fragment`(${MAGNITUDE}, time, event_id) ${than}
        (coalesce(${magnitude}::double precision, '-infinity'), ${time}::timestamptz, ${id}::uuid)`
    : sql.fragment`(time, event_id) ${than} (${time}::timestamptz, ${id}::uuid)`;
}

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
