import { type FragmentSqlToken, sql } from "slonik";
import type { Box, Circle } from "#contracts/query/expression.ts";
import { EARTH_RADIUS_KM } from "#contracts/units.ts";

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
export function withinBox({ south, north, west, east }: Box): readonly FragmentSqlToken[] {
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
function withinLongitudes(
  west: number | undefined,
  east: number | undefined,
): FragmentSqlToken | null {
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
export function withinCircle({ latitude, longitude, minKm, maxKm }: Circle): FragmentSqlToken[] {
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
