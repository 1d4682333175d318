import { type FragmentSqlToken, sql } from "slonik";
import { placeOfCount } from "#contracts/bulletin/bulletin-summary.ts";
import type { EventFilters, Held } from "#contracts/query/filter-parameters.ts";
import type { BulletinCounts } from "#contracts/seismic-event/bulletin-counts.ts";
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

type Condition = (filters: EventFilters) => FragmentSqlToken | null;

type ParameterOf<T> = {
  [N in keyof EventFilters]-?: EventFilters[N] extends T | undefined ? N : never;
}[keyof EventFilters];

const column = (name: string) => sql.identifier([name]);

/** Inclusive bounds. As in SQL, a null attribute satisfies no comparison. */
function atLeast(parameter: ParameterOf<number>, name: string): Condition {
  return ({ [parameter]: bound }) =>
    bound === undefined ? null : sql.fragment`${column(name)} >= ${bound}::double precision`;
}

function atMost(parameter: ParameterOf<number>, name: string): Condition {
  return ({ [parameter]: bound }) =>
    bound === undefined ? null : sql.fragment`${column(name)} <= ${bound}::double precision`;
}

/**
 * Lists are in lower case, like the values of every enumeration, and compared without lower(): the
 * planner has no statistics for it and would read all catalogues for a common value.
 */
function oneOf(parameter: ParameterOf<string[]>, name: string): Condition {
  return ({ [parameter]: list }) =>
    list === undefined ? null : sql.fragment`${column(name)} = any(${sql.array(list, "text")})`;
}

/** Each condition reads its own parameters; all must hold. */
const CONDITIONS: readonly Condition[] = [
  // Written like the index expression; an unknown magnitude is below every bound.
  ({ minMagnitude }) =>
    minMagnitude === undefined
      ? null
      : sql.fragment`coalesce(magnitude, '-infinity'::double precision) >= ${minMagnitude}`,
  atMost("maxMagnitude", "magnitude"),
  atLeast("minDepth", "depth"),
  atMost("maxDepth", "depth"),
  ({ startTime }) =>
    startTime === undefined ? null : sql.fragment`time >= ${startTime}::timestamptz`,
  ({ endTime }) => (endTime === undefined ? null : sql.fragment`time <= ${endTime}::timestamptz`),
  atLeast("minLatitude", "latitude"),
  atMost("maxLatitude", "latitude"),
  withinBox,
  oneOf("eventType", "event_type"),
  ({ magnitudeType }) =>
    magnitudeType === undefined
      ? null
      : sql.fragment`lower(magnitude_type) = any(${sql.array(magnitudeType, "text")})`,
  oneOf("evaluationStatus", "evaluation_status"),
  oneOf("evaluationMode", "evaluation_mode"),
  atMost("maxAzimuthalGap", "azimuthal_gap"),
  atLeast("minUsedStationCount", "used_station_count"),
  atLeast("minUsedPhaseCount", "used_phase_count"),
  atMost("maxStandardError", "standard_error"),
  atMost("maxMagnitudeUncertainty", "magnitude_uncertainty"),
  withinCircle,
  holding,
  ({ minOrigins }) =>
    minOrigins === undefined
      ? null
      : sql.fragment`coalesce(${countOf("origins")}, 1) >= ${minOrigins}`,
  ({ minMagnitudes }) =>
    minMagnitudes === undefined
      ? null
      : sql.fragment`coalesce(${countOf("magnitudes")},
          case when magnitude is null then 0 else 1 end) >= ${minMagnitudes}`,
];

/** The condition for rows of read_model.seismic_events. */
export function filterConditions(filters: EventFilters): FragmentSqlToken {
  const conditions = CONDITIONS.flatMap((condition) => condition(filters) ?? []);
  return conditions.reduce(
    (all, condition) => sql.fragment`${all} and ${condition}`,
    sql.fragment`true`,
  );
}

/** Null of a row without a bulletin. */
function countOf(name: keyof BulletinCounts): FragmentSqlToken {
  // PostgreSQL counts from 1.
  return sql.fragment`bulletin_counts[${placeOfCount(name) + 1}::int]`;
}

/** What an event has, all of it. */
function holding({ has }: EventFilters): FragmentSqlToken | null {
  if (has === undefined) return null;
  return sql.fragment`(${sql.join(has.map(holds), sql.fragment` and `)})`;
}

function holds(held: Held): FragmentSqlToken {
  if (held === "bulletin") return sql.fragment`bulletin_revision is not null`;
  const ofBulletin = sql.fragment`coalesce(${countOf(held)} > 0, false)`;
  return held === "focal_mechanisms"
    ? sql.fragment`(${column(held)} is not null or ${ofBulletin})`
    : ofBulletin;
}

/** A pole, which all meridians meet, is inside every box that touches it. */
function withinBox(filters: EventFilters): FragmentSqlToken | null {
  const { minLatitude = -90, maxLatitude = 90 } = filters;
  const between = withinLongitudes(filters);
  if (between === null || (minLatitude > -90 && maxLatitude < 90)) return between;
  return sql.fragment`(${between} or abs(latitude) = 90)`;
}

/** A lower bound above the upper one is a box across the antimeridian; ±180° are the same meridian. */
function withinLongitudes({ minLongitude, maxLongitude }: EventFilters): FragmentSqlToken | null {
  if (minLongitude === undefined && maxLongitude === undefined) return null;
  const min = minLongitude ?? -180;
  const max = maxLongitude ?? 180;
  if (min > max) return sql.fragment`(longitude >= ${min} or longitude <= ${max})`;
  const touches = min === -180 || max === 180;
  return touches
    ? sql.fragment`(longitude between ${min} and ${max} or abs(longitude) = 180)`
    : sql.fragment`longitude between ${min} and ${max}`;
}

/**
 * Great-circle distance to a centre, by the haversine formula. A box around the circle, for which
 * there is an index, is tested first.
 */
function withinCircle(filters: EventFilters): FragmentSqlToken | null {
  const { latitude, longitude, minRadiusKm, maxRadiusKm } = filters;
  if (latitude === undefined || longitude === undefined) return null;
  const distance = sql.fragment`${2 * EARTH_RADIUS_KM}::double precision * asin(least(1, sqrt(
    ${haversine("latitude", latitude)}
      + cosd(latitude) * cosd(${latitude}) * ${haversine("longitude", longitude)})))`;
  const conditions: FragmentSqlToken[] = [];
  if (maxRadiusKm !== undefined) {
    const radiusDeg = maxRadiusKm / EARTH_RADIUS_KM / DEGREE + BAND_MARGIN_DEG;
    conditions.push(
      sql.fragment`latitude between ${latitude - radiusDeg} and ${latitude + radiusDeg}`,
      withinLongitudes(meridiansOf(latitude, longitude, radiusDeg)) ?? sql.fragment`true`,
      sql.fragment`${distance} <= ${maxRadiusKm}`,
    );
  }
  if (minRadiusKm !== undefined) conditions.push(sql.fragment`${distance} >= ${minRadiusKm}`);
  return conditions.reduce((all, condition) => sql.fragment`${all} and ${condition}`);
}

/**
 * The box between the meridians that touch a circle; none for a circle around a pole, which all
 * meridians cross.
 */
function meridiansOf(latitude: number, longitude: number, radiusDeg: number): EventFilters {
  if (Math.abs(latitude) + radiusDeg > 90 - POLE_MARGIN_DEG) return {};
  const sine = Math.sin(radiusDeg * DEGREE) / Math.cos(latitude * DEGREE);
  const halfWidthDeg = Math.asin(sine) / DEGREE + BAND_MARGIN_DEG;
  return {
    minLongitude: onGlobe(longitude - halfWidthDeg),
    maxLongitude: onGlobe(longitude + halfWidthDeg),
  };
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
  const apart = sql.fragment`(${column(name)} - ${centre}::double precision)`;
  return sql.fragment`power(sind(
    case when abs(${apart}) < ${SAME_PLACE_DEG}::double precision then 0 else ${apart} / 2 end), 2)`;
}
