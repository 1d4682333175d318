import { type FragmentSqlToken, sql } from "slonik";
import type { ShapeIndex } from "#contracts/geometry/shape-index.ts";

/** What a place has for its longitude, of `longitude` itself or of the same in another type of number. */
export type Longitude = (number: FragmentSqlToken) => FragmentSqlToken;

/** The arrays of an index for SQL. PostgreSQL counts from 1. */
export type ShapeArrays = {
  readonly [N in keyof typeof ARRAYS]: FragmentSqlToken;
};

const doubles = (name: NumbersOf<Float64Array>) => (index: ShapeIndex) =>
  sql.fragment`${listOf(index[name])}::double precision[]`;

const integers = (name: NumbersOf<Int32Array>) => (index: ShapeIndex) =>
  sql.fragment`${listOf(index[name])}::int[]`;

const ARRAYS = {
  meridians: doubles("meridians"),
  parallels: doubles("parallels"),
  pointLongitudes: doubles("pointLongitudes"),
  pointLatitudes: doubles("pointLatitudes"),
  mixed: integers("mixed"),
  starts: integers("starts"),
  entries: integers("entries"),
  states: ({ states }: ShapeIndex) =>
    sql.fragment`${`\\x${Buffer.from(states).toString("hex")}`}::bytea`,
  longitudes: ({ edges }: ShapeIndex) =>
    sql.fragment`${listOf(edges.longitudes)}::double precision[]`,
  latitudes: ({ edges }: ShapeIndex) =>
    sql.fragment`${listOf(edges.latitudes)}::double precision[]`,
  turns: ({ edges }: ShapeIndex) => sql.fragment`${listOf(edges.turns)}::int[]`,
} as const;

type NumbersOf<T> = {
  [N in keyof ShapeIndex]: ShapeIndex[N] extends T ? N : never;
}[keyof ShapeIndex];

const kept = new WeakMap<ShapeIndex, ShapeArrays>();

/** Made once for an index: they are long texts. */
export function shapeArrays(index: ShapeIndex): ShapeArrays {
  const present = kept.get(index) ?? arraysOf(index);
  kept.set(index, present);
  return present;
}

function arraysOf(index: ShapeIndex): ShapeArrays {
  const entries = Object.entries(ARRAYS).map(([name, array]) => [name, array(index)]);
  return Object.fromEntries(entries) as ShapeArrays;
}

function listOf(numbers: Float64Array | Int32Array | Int8Array): string {
  return `{${numbers.join(",")}}`;
}
