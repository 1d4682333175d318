import { filterShape } from "../query/filter-parameters.ts";
import type { EventFilters } from "../query/filters.ts";
import { ATTRIBUTES } from "../seismic-event/attributes.ts";
import { turned, wrapLongitude } from "../seismic-event/longitude.ts";
import { compareTimes } from "../seismic-event/origin-time.ts";
import { EARTH_RADIUS_KM, KM_PER_DEGREE } from "../units.ts";
import { ParameterFault } from "./parameter-fault.ts";
import { OWN_FILTERS } from "./parameters.ts";
import type { RawParameters } from "./raw-parameters.ts";
import { magnitudeTypesOf } from "./type-lists.ts";
import { numberOf, requireOrder, timeOf } from "./values.ts";

/** The attributes' ranges: a bound at their ends leaves out no value. */
const { depth: DEPTH, magnitude: MAGNITUDE } = ATTRIBUTES;

/**
 * The filters of `/filtered` but for event types. A bound of depth or magnitude that leaves out nothing valid is
 * absent: it does not drop events whose depth or magnitude is unknown.
 * @throws ParameterFault
 */
export function filtersOf(parameters: RawParameters): EventFilters {
  const startTime = timeOf(parameters, "starttime");
  const endTime = timeOf(parameters, "endtime");
  requireOrder(["starttime", startTime], ["endtime", endTime], compareTimes);
  const minDepth = numberOf(parameters, "mindepth");
  const maxDepth = numberOf(parameters, "maxdepth");
  requireOrder(["mindepth", minDepth], ["maxdepth", maxDepth]);
  const minMagnitude = numberOf(parameters, "minmagnitude");
  const maxMagnitude = numberOf(parameters, "maxmagnitude");
  requireOrder(["minmagnitude", minMagnitude], ["maxmagnitude", maxMagnitude]);
  const magnitudeTypes = magnitudeTypesOf(parameters);
  return {
    ...(startTime !== null && { startTime }),
    ...(endTime !== null && { endTime }),
    ...boxOf(parameters),
    ...circleOf(parameters),
    ...(minDepth !== null && minDepth > DEPTH.min && { minDepth }),
    ...(maxDepth !== null && maxDepth < DEPTH.max && { maxDepth }),
    ...(minMagnitude !== null && minMagnitude > MAGNITUDE.min && { minMagnitude }),
    ...(maxMagnitude !== null && maxMagnitude < MAGNITUDE.max && { maxMagnitude }),
    ...(magnitudeTypes !== null && { magnitudeType: magnitudeTypes.values }),
    ...ownFiltersOf(parameters),
  };
}

/** The filters that event services do not have. @throws ParameterFault */
function ownFiltersOf(parameters: RawParameters): EventFilters {
  const filters = OWN_FILTERS.flatMap(([name, filter]) => {
    const text = parameters.get(name);
    if (text === undefined) return [];
    const read = filterShape[filter].safeParse(text);
    if (read.success) return [[filter, read.data]];
    throw new ParameterFault(name, read.error.issues[0]?.message ?? "is not understood");
  });
  return Object.fromEntries(filters);
}

const ANTIPODE_KM = EARTH_RADIUS_KM * Math.PI;

/** A box in latitude and longitude; absent bounds leave out nothing. @throws ParameterFault */
function boxOf(parameters: RawParameters): EventFilters {
  const south = numberOf(parameters, "minlatitude");
  const north = numberOf(parameters, "maxlatitude");
  requireOrder(["minlatitude", south], ["maxlatitude", north]);
  return {
    ...(south !== null && south > -90 && { minLatitude: south }),
    ...(north !== null && north < 90 && { maxLatitude: north }),
    ...longitudesBetween(
      numberOf(parameters, "minlongitude"),
      numberOf(parameters, "maxlongitude"),
    ),
  };
}

/**
 * The meridians that lie eastwards from `west` to `east`, each between −360 and 360 degrees or null
 * for that side of the antimeridian. So 170 to 190, 170 to −170 and −190 to −170 are one box, and a
 * full turn is no bound.
 */
export function longitudesBetween(
  west: number | null,
  east: number | null,
): Pick<EventFilters, "minLongitude" | "maxLongitude"> {
  if (west === null && east === null) return {};
  const from = west ?? -180;
  const to = east ?? 180;
  if (to >= turned(from, 1)) return {};
  return { minLongitude: wrapLongitude(from), maxLongitude: wrapLongitude(to) };
}

/**
 * A circle or ring of great-circle distance in kilometres; none where it leaves out nothing. A centre
 * without radii is none, because the standard's radii are 0 to 180 degrees.
 * @throws ParameterFault for radii without a centre, half a centre, and degrees beside kilometres
 */
function circleOf(parameters: RawParameters): EventFilters {
  const radii = RADII.filter((name) => parameters.has(name));
  const latitude = numberOf(parameters, "latitude");
  const longitude = numberOf(parameters, "longitude");
  if ((latitude === null) !== (longitude === null) || (latitude === null && radii.length > 0)) {
    const missing = latitude === null ? "latitude" : "longitude";
    throw new ParameterFault(missing, "is missing: a circle needs latitude and longitude");
  }
  const { minRadiusKm, maxRadiusKm } = radiiOf(parameters);
  if (latitude === null || longitude === null) return {};
  const bounds = {
    ...(minRadiusKm !== null && minRadiusKm > 0 && { minRadiusKm }),
    ...(maxRadiusKm !== null && maxRadiusKm < ANTIPODE_KM && { maxRadiusKm }),
  };
  if (Object.keys(bounds).length === 0) return {};
  return { latitude, longitude: wrapLongitude(longitude), ...bounds };
}

const RADII = ["minradius", "maxradius", "minradiuskm", "maxradiuskm"] as const;

function radiiOf(parameters: RawParameters): {
  readonly minRadiusKm: number | null;
  readonly maxRadiusKm: number | null;
} {
  const min = numberOf(parameters, "minradius");
  const max = numberOf(parameters, "maxradius");
  const minKm = numberOf(parameters, "minradiuskm");
  const maxKm = numberOf(parameters, "maxradiuskm");
  if ((min !== null || max !== null) && (minKm !== null || maxKm !== null)) {
    const name = minKm === null ? "maxradiuskm" : "minradiuskm";
    throw new ParameterFault(name, "stands beside a radius in degrees");
  }
  requireOrder(["minradius", min], ["maxradius", max]);
  requireOrder(["minradiuskm", minKm], ["maxradiuskm", maxKm]);
  const toKm = (degrees: number | null) => (degrees === null ? null : degrees * KM_PER_DEGREE);
  return { minRadiusKm: minKm ?? toKm(min), maxRadiusKm: maxKm ?? toKm(max) };
}
