import { type FragmentSqlToken, sql } from "slonik";
import { turnsOver } from "#contracts/geometry/contains-place.ts";
import type { Shape } from "#contracts/geometry/shape.ts";
import { INSIDE, OUTSIDE, type ShapeIndex, shapeIndex } from "#contracts/geometry/shape-index.ts";
import { isInMixedCell } from "./mixed-cell.ts";
import { type Longitude, type ShapeArrays, shapeArrays } from "./shape-arrays.ts";

const TURN = 360;

/** Places that may be in a shape by one of their longitudes. */
type Image = {
  readonly longitude: Longitude;
  readonly between: FragmentSqlToken;
};

/**
 * Whether a place is in a shape or on its edge: a box, for which there is an index, then a look at the shape's grid,
 * and of few places at the edges in their cell. A pole is in every shape that touches it.
 */
export function withinShape(shape: Shape): readonly FragmentSqlToken[] {
  const index = shapeIndex(shape);
  const arrays = shapeArrays(index);
  const { parallels, edges } = index;
  const latitudes = sql.fragment`latitude between ${parallels[0] ?? 0} and ${parallels.at(-1) ?? 0}`;
  const poles = [-90, 90].filter((pole) => edges.latitudes.includes(pole));
  const [image, ...others] = imagesOf(index).map(({ between, longitude }) => [
    between,
    isInCell(index, arrays, longitude),
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
      longitude: (number) => turned(number, one),
      between: sql.fragment`longitude between ${west - one * TURN} and ${east - one * TURN}`,
    }));
  }
  // Each place has one longitude that may be in the shape: one box across the antimeridian.
  const from = west - first * TURN;
  return [
    {
      longitude: (number) => sql.fragment`(case when longitude >= ${from}::double precision
        then ${turned(number, first)} else ${turned(number, second)} end)`,
      between: sql.fragment`(longitude >= ${from} or longitude <= ${east - second * TURN})`,
    },
  ];
}

function turned(number: FragmentSqlToken, turns: number): FragmentSqlToken {
  return turns === 0 ? number : sql.fragment`(${number} + ${turns * TURN}::int)`;
}

/** The state of the place's cell; the outer rows and columns are outside, so that every place has one. */
function isInCell(index: ShapeIndex, arrays: ShapeArrays, longitude: Longitude): FragmentSqlToken {
  const column = sql.fragment`width_bucket(${longitude(sql.fragment`longitude`)}, ${arrays.meridians})`;
  const row = sql.fragment`width_bucket(latitude, ${arrays.parallels})`;
  const width = index.meridians.length + 1;
  return sql.fragment`case get_byte(${arrays.states}, ${row} * ${width}::int + ${column})
    when ${OUTSIDE}::int then false when ${INSIDE}::int then true
    else ${isInMixedCell(index, arrays, longitude)} end`;
}
