import { type FragmentSqlToken, sql } from "slonik";
import { turnsOver } from "#contracts/geometry/contains-place.ts";
import { ORIENTATION_ERROR } from "#contracts/geometry/orientation.ts";
import type { Shape } from "#contracts/geometry/shape.ts";
import { INSIDE, OUTSIDE, type ShapeIndex, shapeIndex } from "#contracts/geometry/shape-index.ts";
import { TURN } from "#contracts/seismic-event/longitude.ts";
import { digitOf, type ShapeArrays, shapeArrays } from "./shape-arrays.ts";

/** Places that may be in a shape after whole turns, one number of them for each place. */
type Image = {
  readonly turns: FragmentSqlToken;
  readonly longitude: FragmentSqlToken;
  readonly between: FragmentSqlToken;
};

/**
 * Whether a place is in a shape or on its edge: a box, for which there is an index, then a look at the shape's grid,
 * and of few places at the edges in their cell. A pole is in every shape that touches it.
 * @param share of what the shapes of a filter may have together (`shapeIndex`)
 */
export function withinShape(shape: Shape, share = 1): readonly FragmentSqlToken[] {
  const index = shapeIndex(shape, share);
  const arrays = shapeArrays(index);
  const { parallels, edges } = index;
  const latitudes = sql.fragment`latitude between ${parallels[0] ?? 0} and ${parallels.at(-1) ?? 0}`;
  const poles = [-90, 90].filter((pole) => edges.latitudes.includes(pole));
  const [image, ...others] = imagesOf(index).map((one) => [
    one.between,
    isInCell(index, arrays, one),
  ]);
  if (image === undefined) return [sql.fragment`false`];
  if (poles.length === 0 && others.length === 0) return [latitudes, ...image];
  const any = [
    ...[image, ...others].map((conditions) => sql.join(conditions, sql.fragment` and `)),
    ...poles.map((pole) => sql.fragment`latitude = ${pole}`),
  ];
  return [latitudes, sql.fragment`(${sql.join(any, sql.fragment` or `)})`];
}

function imagesOf(index: ShapeIndex): readonly Image[] {
  const [west, east] = [index.meridians[0] ?? 0, index.meridians.at(-1) ?? 0];
  const turns = turnsOver(index);
  const [first = 0, second] = turns;
  if (second === undefined || east - west >= TURN) {
    return turns.map((one) => ({
      ...turnedBy(sql.fragment`${one}::int`, one === 0),
      between: sql.fragment`longitude between ${west - one * TURN} and ${east - one * TURN}`,
    }));
  }
  // After one number of turns or the other, never both: a box across the antimeridian.
  const from = west - first * TURN;
  const either = sql.fragment`(case when longitude >= ${from}::double precision
    then ${first}::int else ${second}::int end)`;
  return [
    {
      ...turnedBy(either, false),
      between: sql.fragment`(longitude >= ${from} or longitude <= ${east - second * TURN})`,
    },
  ];
}

function turnedBy(turns: FragmentSqlToken, isNone: boolean): Pick<Image, "turns" | "longitude"> {
  const longitude = sql.fragment`(longitude + ${TURN}::int * ${turns})`;
  return { turns, longitude: isNone ? sql.fragment`longitude` : longitude };
}

/**
 * The state of the place's cell; the outer rows and columns are outside, so that every place has one. For the planner
 * nearly all places in the box are in the shape, as in a box of that size; of a boolean it would think half of them.
 */
function isInCell(
  index: ShapeIndex,
  arrays: ShapeArrays,
  { turns, longitude }: Image,
): FragmentSqlToken {
  const column = numberOf(longitude, index.meridians, arrays.meridians, index.isEven);
  const row = numberOf(sql.fragment`latitude`, index.parallels, arrays.parallels, index.isEven);
  const cell = sql.fragment`${row} * ${index.meridians.length + 1}::int + ${column}`;
  const number = sql.fragment`width_bucket((${cell})::double precision, ${arrays.mixed})`;
  const isInMixed = sql.fragment`read_model.is_in_cell(longitude, ${turns}, latitude,
    (${arrays.pointLongitudes})[${column}], (${arrays.pointLatitudes})[${row}],
    (${arrays.cells})[(${arrays.starts})[${number}] + 1 : (${arrays.starts})[${number} + 1]],
    ${errorOf(index)}::double precision)::int`;
  return sql.fragment`case get_byte(${arrays.states}, ${cell})
    when ${digitOf(INSIDE)}::int then 1 when ${digitOf(OUTSIDE)}::int then 0
    else ${byHalfPlane(index, arrays, longitude, number) ?? sql.fragment``} ${isInMixed}
    ${arrays.halfPlanes === null ? sql.fragment`` : sql.fragment`end`} end <> 0`;
}

/** Of a cell that one edge divides, as far as doubles are sure; what else there is comes behind it. */
function byHalfPlane(
  { meridians, parallels }: ShapeIndex,
  { halfPlanes }: ShapeArrays,
  longitude: FragmentSqlToken,
  number: FragmentSqlToken,
): FragmentSqlToken | null {
  if (halfPlanes === null) return null;
  const error = 4 * errorOf({ meridians, parallels });
  return sql.fragment`case width_bucket(
    (${halfPlanes.a})[${number}] * (${longitude} - ${meridians[0] ?? 0}::double precision)
      + (${halfPlanes.b})[${number}] * (latitude - ${parallels[0] ?? 0}::double precision)
      + (${halfPlanes.c})[${number}],
    ${`{${-error},${error}}`}::double precision[]) when 2 then 1 when 0 then 0 else`;
}

/** Of a column or row. PostgreSQL counts even ones faster than it finds others. */
function numberOf(
  coordinate: FragmentSqlToken,
  lines: Float64Array,
  array: FragmentSqlToken,
  isEven: boolean,
): FragmentSqlToken {
  return isEven
    ? sql.fragment`width_bucket(${coordinate}, ${lines[0] ?? 0}::double precision,
        ${lines.at(-1) ?? 0}::double precision, ${lines.length - 1}::int)`
    : sql.fragment`width_bucket(${coordinate}, ${array})`;
}

/** Of determinants whose points lie in the box of the shape. */
function errorOf({ meridians, parallels }: Pick<ShapeIndex, "meridians" | "parallels">): number {
  const lengthOf = (lines: Float64Array) => (lines.at(-1) ?? 0) - (lines[0] ?? 0);
  return 2 * ORIENTATION_ERROR * (lengthOf(meridians) + lengthOf(parallels));
}
