import { type FragmentSqlToken, sql } from "slonik";
import { ORIENTATION_ERROR } from "#contracts/geometry/orientation.ts";
import type { ShapeIndex } from "#contracts/geometry/shape-index.ts";
import type { Longitude, ShapeArrays } from "./shape-arrays.ts";

/** What is nearer to 0, and no decimal that events or shapes have but in error, is 0: products never underflow. */
const LEAST = 1e-30;

/**
 * Whether a place in a mixed cell is in the shape, by the number of edges between it and the cell's point: in doubles
 * where these are sure, else in decimals (`isInMixed` of `contracts/geometry/contains-place.ts` in SQL).
 */
export function isInMixedCell(
  index: ShapeIndex,
  arrays: ShapeArrays,
  longitude: Longitude,
): FragmentSqlToken {
  const exact = sql.fragment`(select coalesce(bool_or(is_on), false) or ${isOdd(index)}
    from (${edgesOfCell(index, longitude, DECIMALS)}) edges)`;
  const cell = cellOf(index, arrays, longitude);
  if (hasTiny(index)) return sql.fragment`(select ${exact} from (${cell}) in_cell)`;
  return sql.fragment`(select case when sure.is_near then ${exact} else sure.is_odd end
    from (${cell}) in_cell cross join lateral (
      select bool_or(is_near) as is_near, ${isOdd(index)} as is_odd
      from (${edgesOfCell(index, longitude, DOUBLES)}) edges) sure)`;
}

/** Whether of any part an odd number of edges is crossed. */
function isOdd({ slots }: ShapeIndex): FragmentSqlToken {
  if (slots === 1) return sql.fragment`count(*) filter (where is_crossed) % 2 = 1`;
  const none = sql.fragment`${"0".repeat(slots)}::bit varying`;
  return sql.fragment`coalesce(
    bit_xor(set_bit(${none}, slot, 1)) filter (where is_crossed) <> ${none}, false)`;
}

/** The place's cell, with the arrays, which stand nowhere else: they are long. */
function cellOf(
  { meridians }: ShapeIndex,
  arrays: ShapeArrays,
  longitude: Longitude,
): FragmentSqlToken {
  const cell = sql.fragment`width_bucket(of_row * ${meridians.length + 1}::int + of_column, ${arrays.mixed})`;
  return sql.fragment`
    select xs, ys, turns, point_x, point_y, entries[starts[cell] + 1 : starts[cell + 1]] as entries
    from (
      select ${arrays.longitudes} as xs, ${arrays.latitudes} as ys, ${arrays.turns} as turns,
        ${arrays.entries} as entries, ${arrays.starts} as starts, ${cell} as cell,
        (${arrays.pointLongitudes})[of_column] as point_x, (${arrays.pointLatitudes})[of_row] as point_y
      from (
        select width_bucket(${longitude(sql.fragment`longitude`)}, ${arrays.meridians}) as of_column,
          width_bucket(latitude, ${arrays.parallels}) as of_row
        offset 0
      ) place
      offset 0
    ) numbered
    offset 0`;
}

type Numbers = {
  readonly ofPlace: (name: FragmentSqlToken) => FragmentSqlToken;
  readonly of: (number: FragmentSqlToken) => FragmentSqlToken;
};

const DOUBLES: Numbers = {
  ofPlace: (name) =>
    sql.fragment`case when abs(${name}) < ${LEAST}::double precision then 0 else ${name} end`,
  of: (number) => number,
};

/** The decimals that the doubles mean. */
const DECIMALS: Numbers = {
  ofPlace: (name) => sql.fragment`${name}::text::numeric`,
  of: (number) => sql.fragment`${number}::text::numeric`,
};

/** The entries of a place's cell: whether their edges are crossed, nearly met, or met. */
function edgesOfCell(
  index: ShapeIndex,
  longitude: Longitude,
  { ofPlace, of }: Numbers,
): FragmentSqlToken {
  const { slots } = index;
  const isTurned = index.edges.turns.some((turns) => turns !== 0);
  const x = (vertex: FragmentSqlToken) => {
    const own = of(sql.fragment`xs[${vertex}]`);
    return isTurned ? sql.fragment`${own} + 360 * turns[${vertex}]` : own;
  };
  const y = (vertex: FragmentSqlToken) => of(sql.fragment`ys[${vertex}]`);
  const [from, to] = [sql.fragment`edge`, sql.fragment`edge + 1`];
  return sql.fragment`
    select slot,
      is_base or (side > 0) <> is_left and (from_side >= 0) <> (to_side >= 0) as is_crossed,
      not is_base and least(abs(side), abs(from_side), abs(to_side)) <= ${errorOf(index)} as is_near,
      not is_base and side = 0 and px between least(ax, bx) and greatest(ax, bx)
        and py between least(ay, by) and greatest(ay, by) as is_on
    from (
      select slot, is_base, is_left, px, py, ax, ay, bx, by,
        (bx - ax) * (py - ay) - (by - ay) * (px - ax) as side,
        (px - qx) * (ay - qy) - (py - qy) * (ax - qx) as from_side,
        (px - qx) * (by - qy) - (py - qy) * (bx - qx) as to_side
      from (
        select entry < 0 as is_base, entry / ${slots}::int % 2 = 1 as is_left,
          case when entry < 0 then -1 - entry else entry % ${slots}::int end as slot,
          px, py, qx, qy,
          ${x(from)} as ax, ${y(from)} as ay, ${x(to)} as bx, ${y(to)} as by
        from (
          select ${longitude(ofPlace(sql.fragment`longitude`))} as px,
            ${ofPlace(sql.fragment`latitude`)} as py,
            ${of(sql.fragment`point_x`)} as qx, ${of(sql.fragment`point_y`)} as qy
          offset 0
        ) points
        cross join lateral (
          select entry, entry / ${2 * slots}::int + 1 as edge from unnest(entries) entry offset 0
        ) numbered
        offset 0
      ) vertices
      offset 0
    ) sides`;
}

/** Of determinants whose points lie in the box of the shape. */
function errorOf({ meridians, parallels }: ShapeIndex): FragmentSqlToken {
  const [width, height] = [meridians, parallels].map(
    (lines) => (lines.at(-1) ?? 0) - (lines[0] ?? 0),
  );
  return sql.fragment`${2 * ORIENTATION_ERROR * ((width ?? 0) + (height ?? 0))}::double precision`;
}

/** Whether products of its numbers may be too small for doubles. */
function hasTiny({ edges: { longitudes, latitudes } }: ShapeIndex): boolean {
  const isTiny = (number: number) => number !== 0 && Math.abs(number) < LEAST;
  return longitudes.some(isTiny) || latitudes.some(isTiny);
}
