import { turned, wrapLongitude } from "../geometry/globe.ts";
import type { EventFilters } from "../query/filters.ts";
import { type EventOrder, filterShape, parseDecimal } from "../query/parameters.ts";
import { ATTRIBUTES, QUAKEML_EVENT_TYPES } from "../seismic-event/attributes.ts";
import { meantName } from "../seismic-event/names.ts";
import { compareTimes, parseTime } from "../seismic-event/time.ts";
import { EARTH_RADIUS_KM, KM_PER_DEGREE } from "../units.ts";
import {
  COUNT_FORMATS,
  DEFAULT_FORMAT,
  type FdsnFormat,
  type FdsnMethod,
  formatNamed,
  OWN_FILTERS,
  PARAMETER_NAMES,
  PARAMETERS,
  type Parameter,
  type ParameterName,
} from "./parameters.ts";

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

function radiiOf(parameters: RawParameters) {
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

/** What of the events' bulletins an answer in QuakeML is to have beside what the rows show, by its parameters. */
const INCLUSION = {
  allOrigins: "includeallorigins",
  /** With the origins that they name. */
  allMagnitudes: "includeallmagnitudes",
  /** Of the origins in the answer, with their picks. */
  arrivals: "includearrivals",
  /** All, used or not. */
  picks: "includepicks",
  amplitudes: "includeamplitudes",
  /** And their contributions, with amplitudes and picks. */
  stationMagnitudes: "includestationmagnitudes",
  /** Of every level. */
  comments: "includecomments",
  /** The whole bulletin, with what QuakeML has no place for. */
  everything: "includeall",
} as const;
export type Inclusion = Readonly<Record<keyof typeof INCLUSION, boolean>>;

/** What the rows show, and no more. */
export const NO_INCLUSION = inclusionBy(() => false);

function inclusionBy(isWanted: (name: NameOf<"boolean">) => boolean): Inclusion {
  const entries = Object.entries(INCLUSION).map(([part, name]) => [part, isWanted(name)]);
  return Object.fromEntries(entries) as Inclusion;
}

/**
 * What the parameters ask for; null where none is true. An arrival cannot stand without its pick, so
 * `includepicks=false` is without both.
 * @throws ParameterFault
 */
function inclusionOf(parameters: RawParameters): Inclusion | null {
  const wanted = inclusionBy((name) => booleanOf(parameters, name));
  if (!Object.values(wanted).includes(true)) return null;
  const hasPicks = wanted.picks || !parameters.has("includepicks");
  return { ...wanted, arrivals: wanted.arrivals && hasPicks };
}

/** A query's parameters by long name, trimmed and not empty. */
type RawParameters = ReadonlyMap<ParameterName, string>;

/**
 * The parameters of a query string, with or without its question mark. Names have any case, pairs may
 * be empty (`a=1&&b=2`), blanks may stand as `+`, and an empty value is as good as none.
 * @throws ParameterFault for an unknown name, for one that is given twice, also by its alias, and for
 * what is no UTF-8
 */
export function rawParameters(query: string): RawParameters {
  const parameters = new Map<ParameterName, string>();
  const names = new Set<ParameterName>();
  for (const pair of query.replace(/^\?/, "").split("&")) {
    if (pair === "") continue;
    const end = pair.indexOf("=");
    const spelling = decoded(end < 0 ? pair : pair.slice(0, end), "a name");
    const name = longNameOf(spelling);
    if (name === null) {
      const meant = meantName(spelling, PARAMETER_NAMES);
      throw new ParameterFault(spelling, `is no parameter of this method${meant}`);
    }
    if (names.has(name)) throw new ParameterFault(name, "is given more than once");
    names.add(name);
    const value = end < 0 ? "" : decoded(pair.slice(end + 1), name).trim();
    if (value !== "") parameters.set(name, value);
  }
  return parameters;
}

/** The long name for each name and alias; all are in lower case. */
const LONG_NAMES: ReadonlyMap<string, ParameterName> = new Map(
  PARAMETER_NAMES.flatMap((name) => {
    const { aliases = [] }: Parameter = PARAMETERS[name];
    return [name, ...aliases].map((alias) => [alias, name] as const);
  }),
);

/** The long name that a name in a query stands for, in any case; null for an unknown one. */
export function longNameOf(spelling: string): ParameterName | null {
  return LONG_NAMES.get(spelling.toLowerCase()) ?? null;
}

/** Text without NUL, which no value may hold. */
function decoded(text: string, name: string): string {
  let value: string;
  try {
    value = decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ParameterFault(name, "is not percent-encoded UTF-8");
  }
  if (value.includes("\0")) throw new ParameterFault(name, "holds a NUL character");
  return value;
}

/**
 * Whether errors of a query are wanted as JSON: `jsonerror=true` with the format geojson, also where
 * the query is otherwise malformed.
 */
export function wantsJsonErrors(query: string, pathFormat: string | undefined): boolean {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    values.set(name.toLowerCase(), value.trim().toLowerCase());
  }
  const format = pathFormat?.toLowerCase() ?? values.get("format");
  return values.get("jsonerror") === "true" && format === "geojson";
}

type NameOf<K extends Parameter["kind"]> = {
  [N in ParameterName]: (typeof PARAMETERS)[N]["kind"] extends K ? N : never;
}[ParameterName];

/** Readers of given values: null for an absent one, else as the table of parameters describes it. */

/** @throws ParameterFault */
function numberOf(parameters: RawParameters, name: NameOf<"number">): number | null {
  const text = parameters.get(name);
  if (text === undefined) return null;
  const { range = "a decimal number" }: Parameter = PARAMETERS[name];
  const number = parseDecimal(text);
  if (number === null || !Number.isFinite(number)) throw expected(name, range);
  return within(name, number) + 0;
}

/**
 * Beyond the safe integers the largest of them, which is as good as any.
 * @throws ParameterFault
 */
function integerOf(parameters: RawParameters, name: NameOf<"integer">): number | null {
  const text = parameters.get(name);
  if (text === undefined) return null;
  if (!/^\+?\d+$/.test(text)) throw expected(name, "an integer");
  return Math.min(within(name, Number(text)), Number.MAX_SAFE_INTEGER);
}

/** @throws ParameterFault */
function timeOf(parameters: RawParameters, name: NameOf<"time">): string | null {
  const text = parameters.get(name);
  if (text === undefined) return null;
  const time = parseFdsnTime(text);
  if (time === null) throw expected(name, "a time YYYY-MM-DDThh:mm:ss.ssssss or YYYY-MM-DD, UTC");
  return time;
}

/** @throws ParameterFault */
function booleanOf(parameters: RawParameters, name: NameOf<"boolean">): boolean {
  const text = parameters.get(name)?.toLowerCase();
  if (text === undefined || text === "false") return false;
  const { options }: Parameter = PARAMETERS[name];
  if (text !== "true" || options !== undefined) {
    throw expected(name, options === undefined ? "true or false" : "false");
  }
  return true;
}

/** @throws ParameterFault */
function choiceOf<N extends NameOf<"choice">>(
  parameters: RawParameters,
  name: N,
): (typeof PARAMETERS)[N]["options"][number] | null {
  const text = parameters.get(name)?.toLowerCase();
  if (text === undefined) return null;
  const { options = [], range }: Parameter = PARAMETERS[name];
  const option = options.find((known) => known === text);
  if (option === undefined) throw expected(name, range ?? options.join(", "));
  return option;
}

/** The members of a comma list, trimmed, without empty and repeated ones. @throws ParameterFault */
function listOf(parameters: RawParameters, name: NameOf<"list">): string[] | null {
  const text = parameters.get(name);
  if (text === undefined) return null;
  const members = text.split(",").map((member) => member.trim());
  const values = new Set(members.filter((member) => member !== ""));
  if (values.size === 0) throw expected(name, "a value or several with commas between them");
  return [...values];
}

/** The version of a catalogue: its number, or a time in canonical form. @throws ParameterFault */
function versionOf(parameters: RawParameters, name: NameOf<"version">): string | null {
  const text = parameters.get(name);
  if (text === undefined || /^\d+$/.test(text)) return text ?? null;
  const time = parseFdsnTime(text);
  if (time === null) throw expected(name, "a version number or a time");
  return time;
}

function expected(name: ParameterName, what: string): ParameterFault {
  return new ParameterFault(name, `expected ${what}`);
}

/** @throws ParameterFault where a lower bound is above its upper bound */
function requireOrder<T extends string | number>(
  [low, lowest]: readonly [ParameterName, T | null],
  [high, highest]: readonly [ParameterName, T | null],
  compare: (a: T, b: T) => number = (a, b) => (a > b ? 1 : 0),
): void {
  if (lowest === null || highest === null || compare(lowest, highest) <= 0) return;
  throw new ParameterFault(low, `is above ${high}`);
}

function within(name: ParameterName, number: number): number {
  const { min = number, max = number, range = "" }: Parameter = PARAMETERS[name];
  if (number < min || number > max) throw expected(name, range);
  return number;
}

/**
 * The format that the parameter or the path names, else the method's default.
 * @throws ParameterFault for an unknown one, and where the two differ
 */
function formatOf(
  parameters: RawParameters,
  method: FdsnMethod,
  pathFormat: string | undefined,
): FdsnFormat {
  const names = [pathFormat, parameters.get("format")].filter((name) => name !== undefined);
  const [format, other] = names.map((name) => formatNamed(name, method));
  if (format === null || other === null) throw expected("format", formatNames(method));
  if (format !== undefined && other !== undefined && format !== other) {
    throw new ParameterFault("format", "is another in the path");
  }
  return format ?? DEFAULT_FORMAT[method];
}

function formatNames(method: FdsnMethod): string {
  return (method === "query" ? PARAMETERS.format.options : COUNT_FORMATS).join(", ");
}

/** A `+` that was not encoded is a blank after decoding. */
const OFFSET_AFTER_BLANK = / (?=\d\d:?\d\d$)/;

/**
 * The canonical form (`contracts/seismic-event/time.ts`) of a time in a query; null for any
 * other text.
 *
 * The standard has `YYYY-MM-DDThh:mm:ss` with up to six fractional digits and `YYYY-MM-DD`, always UTC
 * (FDSN Web Service Specification 1.1, p. 6). Clients and published addresses also have a zone, a
 * blank for the `T`, no seconds, more digits, second 60 and 24:00:00.
 */
export function parseFdsnTime(text: string): string | null {
  return parseTime(text, "down") ?? parseTime(text.replace(OFFSET_AFTER_BLANK, "+"), "down");
}

/** What is wrong with a query. The message begins with the parameter's name. */
export class ParameterFault extends Error {
  override readonly name = "ParameterFault";
  /** The long name, or an unknown name as it was sent. */
  readonly parameter: string;

  constructor(parameter: string, message: string) {
    super(`${parameter}: ${message}`);
    this.parameter = parameter;
  }
}
