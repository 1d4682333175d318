import { turned, wrapLongitude } from "../geometry/globe.ts";
import type { EventFilters } from "../query/filters.ts";
import { type EventOrder, filterShape } from "../query/parameters.ts";
import { ATTRIBUTES, QUAKEML_EVENT_TYPES } from "../seismic-event/attributes.ts";
import { compareTimes } from "../seismic-event/time.ts";
import { EARTH_RADIUS_KM, KM_PER_DEGREE } from "../units.ts";
import type { FdsnFormat, FdsnMethod } from "./formats.ts";
import { OWN_FILTERS } from "./parameters.ts";
import {
  booleanOf,
  choiceOf,
  expected,
  formatOf,
  integerOf,
  listOf,
  numberOf,
  ParameterFault,
  type RawParameters,
  rawParameters,
  requireOrder,
  timeOf,
  versionOf,
  wantsJsonErrors,
} from "./values.ts";

/** A query of the method `query` or `count`; null for an absent parameter. Times are canonical. */
export type FdsnQuery = {
  /** But for event types; a bound of the standard that leaves out nothing valid is absent. */
  readonly filters: EventFilters;
  readonly eventTypes: WantedEventTypes | null;
  /** The one spelling that `filters.magnitudeType`, which knows no case, does not mean. */
  readonly exceptMagnitudeType: BodyWaveType | null;
  /** As sent; what each can be says `eventIdForms`. */
  readonly eventIds: string[] | null;
  /** Whether events that an earlier version had are wanted: also, or they alone; null for not. */
  readonly includeDeleted: "also" | "only" | null;
  readonly updatedAfter: string | null;
  readonly catalog: string | null;
  readonly contributor: string | null;
  /** A version number or a time. */
  readonly asOf: string | null;
  readonly order: EventOrder;
  /** Events to skip, from 0. */
  readonly offset: number;
  readonly limit: number | null;
  readonly format: FdsnFormat;
  /** The status for an empty answer in xml and text. */
  readonly noData: 204 | 404;
  /** What of bulletins is wanted beside what the rows show, in xml; null for nothing. */
  readonly inclusion: Inclusion | null;
  /** Whether `magnitudeType` and the magnitude's bounds mean any magnitude; only with a type. */
  readonly anyMagnitude: boolean;
  /** Whether errors are wanted as ComCat's JSON; only with geojson. */
  readonly jsonError: boolean;
};

/** What is wrong with a query; the message names the parameter. */
export type FdsnFault = {
  readonly parameter: string;
  readonly message: string;
  readonly jsonError: boolean;
};

export type ParsedFdsnQuery =
  | { readonly ok: true; readonly query: FdsnQuery }
  | { readonly ok: false; readonly fault: FdsnFault };

/**
 * `format` is that of a path `query.<format>`; a parameter `format` beside it has to agree.
 */
export type FdsnRequest = { readonly method?: FdsnMethod; readonly format?: string | undefined };

/**
 * Reads the query string of an FDSN event service (FDSN Web Service Specification 1.2), without its
 * question mark or with it.
 */
export function parseFdsnQuery(
  raw: string,
  { method = "query", format: pathFormat }: FdsnRequest = {},
): ParsedFdsnQuery {
  const jsonError = wantsJsonErrors(raw, pathFormat);
  try {
    const parameters = rawParameters(raw);
    const format = formatOf(parameters, method, pathFormat);
    checkScope(parameters, method, format);
    return { ok: true, query: { ...queryOf(parameters), format, jsonError } };
  } catch (error) {
    if (!(error instanceof ParameterFault)) throw error;
    const { parameter, message } = error;
    return { ok: false, fault: { parameter, message, jsonError } };
  }
}

function queryOf(parameters: RawParameters): Omit<FdsnQuery, "format" | "jsonError"> {
  // Only checked here.
  booleanOf(parameters, "jsonerror");
  checkSuperseded(parameters);
  return {
    filters: filtersOf(parameters),
    eventTypes: eventTypesOf(parameters),
    exceptMagnitudeType: magnitudeTypesOf(parameters)?.except ?? null,
    eventIds: eventIdsOf(parameters),
    includeDeleted: DELETED[choiceOf(parameters, "includedeleted") ?? "false"],
    updatedAfter: timeOf(parameters, "updatedafter"),
    catalog: parameters.get("catalog") ?? null,
    contributor: parameters.get("contributor") ?? null,
    asOf: versionOf(parameters, "asof"),
    order: choiceOf(parameters, "orderby") ?? "time",
    offset: (integerOf(parameters, "offset") ?? 1) - 1,
    limit: integerOf(parameters, "limit"),
    noData: choiceOf(parameters, "nodata") === "404" ? 404 : 204,
    inclusion: inclusionOf(parameters),
    anyMagnitude: anyMagnitudeOf(parameters),
  };
}

const DELETED = { false: null, true: "also", only: "only" } as const;

function anyMagnitudeOf(parameters: RawParameters): boolean {
  const scope = choiceOf(parameters, "magnitudescope");
  return scope === "any" && listOf(parameters, "magnitudetype") !== null;
}

/** Other formats show one magnitude, by which they would not be understood. */
function checkScope(parameters: RawParameters, method: FdsnMethod, format: FdsnFormat): void {
  if (!parameters.has("magnitudescope") || method === "count" || format === "xml") return;
  throw new ParameterFault("magnitudescope", "is for the format xml and for counts");
}

/**
 * As ComCat's the flag is for single events, whose superseded products it adds. An event here has no
 * products, so as it is it is complete. Earlier forms of many events are those of earlier versions.
 */
function checkSuperseded(parameters: RawParameters): void {
  if (!booleanOf(parameters, "includesuperseded") || listOf(parameters, "eventid") !== null) return;
  const message = "true needs an eventid: earlier forms stand in earlier versions (asof)";
  throw new ParameterFault("includesuperseded", message);
}

/** With commas, the whole text as well: public ids may hold them. */
function eventIdsOf(parameters: RawParameters): string[] | null {
  const ids = listOf(parameters, "eventid");
  const whole = parameters.get("eventid");
  return ids === null || whole === undefined ? null : [...new Set([...ids, whole])];
}

/** The attributes' ranges: a bound at their ends leaves out no value. */
const { depth: DEPTH, magnitude: MAGNITUDE } = ATTRIBUTES;

/**
 * The filters of `/filtered` but for event types. A bound of depth or magnitude that leaves out nothing valid is
 * absent: it does not drop events whose depth or magnitude is unknown.
 * @throws ParameterFault
 */
function filtersOf(parameters: RawParameters): EventFilters {
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

/** Event types as the standard spells them, and whether events without a type are meant as well. */
type WantedEventTypes = { readonly values: string[]; readonly withUnknown: boolean };

const EVENT_TYPES: ReadonlySet<string> = new Set(QUAKEML_EVENT_TYPES);

/**
 * The wanted event types, null for all (`*`). `unknown` means events without a type. `earthquake`
 * includes them: agencies leave it out of most of their earthquakes, and ComCat's clients always ask
 * for earthquakes.
 * @throws ParameterFault for what is no QuakeML event type
 */
function eventTypesOf(parameters: RawParameters): WantedEventTypes | null {
  const names = listOf(parameters, "eventtype")?.map((name) => name.toLowerCase());
  if (names === undefined || names.includes("*")) return null;
  const values = [...new Set(names)].filter((name) => name !== "unknown");
  if (!values.every((name) => EVENT_TYPES.has(name))) {
    throw expected("eventtype", "QuakeML event types, unknown or *");
  }
  return { values, withUnknown: names.includes("unknown") || names.includes("earthquake") };
}

/** The two types that differ in case only: body waves of short and of long period. */
type BodyWaveType = "mb" | "mB";

/**
 * The wanted types of the preferred magnitude, in lower case, and the spelling that is not meant
 * although it is equal in lower case: `mB` where `mb` is wanted alone, and the other way round. In all
 * other types case does not matter, and a catalogue's `Mb` is found by either. Null for all types.
 * @throws ParameterFault
 */
function magnitudeTypesOf(
  parameters: RawParameters,
): { readonly values: string[]; readonly except: BodyWaveType | null } | null {
  const names = listOf(parameters, "magnitudetype");
  if (names === null) return null;
  const [bodyWave, second] = names.filter((name) => name.toLowerCase() === "mb");
  const other = bodyWave === "mb" ? "mB" : bodyWave === "mB" ? "mb" : null;
  return {
    values: [...new Set(names.map((name) => name.toLowerCase()))],
    except: second === undefined ? other : null,
  };
}

/** What of the events' bulletins an answer in QuakeML is to have beside what the rows show. */
export type Inclusion = {
  readonly allOrigins: boolean;
  /** With the origins that they name. */
  readonly allMagnitudes: boolean;
  /** Of the origins in the answer, with their picks. */
  readonly arrivals: boolean;
  /** All, used or not. */
  readonly picks: boolean;
  readonly amplitudes: boolean;
  /** And their contributions, with amplitudes and picks. */
  readonly stationMagnitudes: boolean;
  /** Of every level. */
  readonly comments: boolean;
  /** The whole bulletin, with what QuakeML has no place for. */
  readonly everything: boolean;
};

/** What the rows show, and no more. */
export const NO_INCLUSION: Inclusion = {
  allOrigins: false,
  allMagnitudes: false,
  arrivals: false,
  picks: false,
  amplitudes: false,
  stationMagnitudes: false,
  comments: false,
  everything: false,
};

const NAMES = [
  "includeallorigins",
  "includeallmagnitudes",
  "includearrivals",
  "includepicks",
  "includeamplitudes",
  "includestationmagnitudes",
  "includecomments",
  "includeall",
] as const;

/**
 * What the parameters ask for; null where none is true. An arrival cannot stand without its pick, so
 * `includepicks=false` is without both.
 * @throws ParameterFault
 */
function inclusionOf(parameters: RawParameters): Inclusion | null {
  const wanted = new Set(NAMES.filter((name) => booleanOf(parameters, name)));
  if (wanted.size === 0) return null;
  const withoutPicks = parameters.has("includepicks") && !wanted.has("includepicks");
  return {
    allOrigins: wanted.has("includeallorigins"),
    allMagnitudes: wanted.has("includeallmagnitudes"),
    arrivals: wanted.has("includearrivals") && !withoutPicks,
    picks: wanted.has("includepicks"),
    amplitudes: wanted.has("includeamplitudes"),
    stationMagnitudes: wanted.has("includestationmagnitudes"),
    comments: wanted.has("includecomments"),
    everything: wanted.has("includeall"),
  };
}
