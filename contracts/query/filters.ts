/**
 * The filters of events: one table of them, what they mean, what is wrong with them, and their
 * words.
 */

import {
  type Area,
  areaOfWkt,
  countVertices,
  GeometryFault,
  MAX_WKT_VERTICES,
  type Shape,
  shapeOf,
} from "../geometry/shape.ts";
import { MINUS } from "../plots/numbers.ts";
import { MAX_BULLETIN_ELEMENTS } from "../seismic-event/bulletin-objects.ts";
import { compareTimes } from "../seismic-event/time.ts";
import { type Expression, HELD, type Property } from "./expression.ts";

export const HALF_CIRCUMFERENCE_KM = 20_020;

const LATITUDE = { min: -90, max: 90 };
const LONGITUDE = { min: -180, max: 180 };
const RADIUS = number("km, inclusive", { min: 0, max: HALF_CIRCUMFERENCE_KM });
const EVERY_EVENT: Expression = { all: [] };
/** Of one event; no bulletin has more. */
const SOLUTIONS = { min: 0, max: MAX_BULLETIN_ELEMENTS };

const shapes = new WeakMap<Area, Shape>();

/** As many polygons are kept as they were read, for what is made of each of them. */
const MAX_KEPT = 64;
const kept = new Map<string, Shape>();

/**
 * The filters of events, in the order of their conditions. Everything that takes filters is made of this table:
 * parameters of queries, members of bodies, their documents, their words, SQL and predicates.
 */
export const FILTERS = [
  filter({
    parameters: { minMagnitude: number("inclusive"), maxMagnitude: number("inclusive") },
    expression: ({ minMagnitude, maxMagnitude }) =>
      between("magnitude", minMagnitude, maxMagnitude),
    words: ({ minMagnitude, maxMagnitude }) => [rangeText("M", "", minMagnitude, maxMagnitude)],
    problemOf: ordered("minMagnitude", "maxMagnitude"),
    isInConsole: true,
  }),
  filter({
    parameters: { minDepth: number("km, inclusive"), maxDepth: number("km, inclusive") },
    expression: ({ minDepth, maxDepth }) => between("depth", minDepth, maxDepth),
    words: ({ minDepth, maxDepth }) => [rangeText("depth", " km", minDepth, maxDepth)],
    problemOf: ordered("minDepth", "maxDepth"),
    isInConsole: true,
  }),
  filter({
    parameters: {
      startTime: time("ISO 8601, inclusive"),
      endTime: time("ISO 8601, inclusive"),
    },
    expression: ({ startTime, endTime }) => between("time", startTime, endTime),
    words: ({ startTime, endTime }) => [timeText(startTime, endTime)],
    problemOf: ordered("startTime", "endTime"),
    isInConsole: true,
  }),
  filter({
    parameters: {
      minLatitude: number("deg, inclusive", LATITUDE),
      maxLatitude: number("deg, inclusive", LATITUDE),
      minLongitude: number(
        "deg, inclusive; above maxLongitude: a box across the antimeridian",
        LONGITUDE,
      ),
      maxLongitude: number("deg, inclusive", LONGITUDE),
    },
    expression: ({ minLatitude, maxLatitude, minLongitude, maxLongitude }) => {
      const bounds = { south: minLatitude, north: maxLatitude, west: minLongitude };
      const box = { ...bounds, east: maxLongitude };
      return Object.values(box).every((bound) => bound === undefined)
        ? EVERY_EVENT
        : { kind: "box", ...box };
    },
    words: ({ minLatitude, maxLatitude, minLongitude, maxLongitude }) => [
      rangeText("latitude", "°", minLatitude, maxLatitude),
      rangeText("longitude", "°", minLongitude, maxLongitude),
    ],
    problemOf: ordered("minLatitude", "maxLatitude"),
    isInConsole: true,
  }),
  filter({
    parameters: {
      latitude: number("deg, centre of a circle", LATITUDE),
      longitude: number("deg, centre of a circle", LONGITUDE),
      maxRadiusKm: RADIUS,
      minRadiusKm: RADIUS,
    },
    expression: ({ latitude, longitude, minRadiusKm: minKm, maxRadiusKm: maxKm }) =>
      latitude === undefined || longitude === undefined
        ? EVERY_EVENT
        : { kind: "circle", latitude, longitude, minKm, maxKm },
    words: (texts) => [circleText(texts)],
    problemOf: circleProblem,
  }),
  filter({
    parameters: {
      polygon: {
        kind: "text",
        faultOf: faultOfWkt,
        description: `well-known text, POLYGON or MULTIPOLYGON of at most ${MAX_WKT_VERTICES} vertices, longitude before latitude; its edges are inside`,
      },
    },
    expression: ({ polygon }) =>
      polygon === undefined ? EVERY_EVENT : { kind: "shape", shape: shapeOfWkt(polygon) },
    words: ({ polygon }) => [polygon === null ? null : polygonText(polygon)],
  }),
  single(
    "region",
    { kind: "id", description: "id of a saved region; its edges are inside" },
    (id, { regionArea }) => {
      if (regionArea === undefined) throw new Error(`the region ${id} was not looked up`);
      return { kind: "shape", shape: shapeOfArea(regionArea.area) };
    },
    ["in the region "],
  ),
  single("eventType", list("QuakeML event type"), oneOf("event_type"), ["type "]),
  single(
    "magnitudeType",
    list("for example ML, Mw"),
    // Every enumeration is in lower case; magnitude types are not.
    (values) => ({ kind: "oneOf", property: "magnitude_type", values, ignoresCase: true }),
    ["magnitude type "],
  ),
  single("evaluationStatus", list("evaluation status"), oneOf("evaluation_status"), [""]),
  single("evaluationMode", list("evaluation mode"), oneOf("evaluation_mode"), [""]),
  single(
    "maxAzimuthalGap",
    number("deg", { min: 0, max: 360 }),
    (most) => between("azimuthal_gap", undefined, most),
    ["azimuthal gap ≤ ", "°"],
  ),
  single(
    "minUsedStationCount",
    integer("stations", { min: 0 }),
    (least) => between("used_station_count", least),
    ["≥ ", " stations"],
  ),
  single(
    "minUsedPhaseCount",
    integer("phases", { min: 0 }),
    (least) => between("used_phase_count", least),
    ["≥ ", " phases"],
  ),
  single(
    "maxStandardError",
    number("s", { min: 0 }),
    (most) => between("standard_error", undefined, most),
    ["standard error ≤ ", " s"],
  ),
  single(
    "maxMagnitudeUncertainty",
    number("magnitude units", { min: 0 }),
    (most) => between("magnitude_uncertainty", undefined, most),
    ["magnitude uncertainty ≤ "],
  ),
  single(
    "has",
    listOf(`what an event has, all of them: ${HELD.join(", ")}`, HELD),
    (held) => ({ kind: "has", held }),
    ["with "],
  ),
  single(
    "minOrigins",
    integer("origins; an event without a bulletin has one", SOLUTIONS),
    (atLeast) => ({ kind: "count", of: "origins", atLeast }),
    ["≥ ", " origins"],
  ),
  single(
    "minMagnitudes",
    integer(
      "magnitudes; an event without a bulletin has one, or none where its magnitude is null",
      SOLUTIONS,
    ),
    (atLeast) => ({ kind: "count", of: "magnitudes", atLeast }),
    ["≥ ", " magnitudes"],
  ),
] as const;

type Merged<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer A) => void
  ? A
  : never;

/** All their parameters by name. */
export type FilterParameters = Merged<(typeof FILTERS)[number]["parameters"]>;
export type FilterName = keyof FilterParameters;

export const FILTER_PARAMETERS: FilterParameters = Object.assign(
  {},
  ...FILTERS.map(({ parameters }) => parameters),
);
export const FILTER_NAMES = Object.keys(FILTER_PARAMETERS) as readonly FilterName[];

/** Filters as they were read, and what they name as it was found. They can go to threads, and be kept. */
export type EventFilters = Values<FilterParameters> & Resolved;

/** The events that satisfy all filters. */
export function expressionOf(filters: EventFilters): Expression {
  const all = FILTERS.map(({ expression }) => expression(filters, filters));
  return { all: filters.features === undefined ? all : [...all, filters.features.expression] };
}

/** What is wrong with filters that are right each by itself. */
export function problemsOf(filters: EventFilters): readonly Problem[] {
  return FILTERS.flatMap((each) => ("problemOf" in each && each.problemOf?.(filters)) || []);
}

function between(
  property: Property,
  low: number | string | undefined,
  high?: number | string,
): Expression {
  return {
    all: [
      ...(low === undefined
        ? []
        : [{ kind: "compare", property, operator: ">=", value: low } as const]),
      ...(high === undefined
        ? []
        : [{ kind: "compare", property, operator: "<=", value: high } as const]),
    ],
  };
}

function oneOf(property: Property): (values: string[]) => Expression {
  return (values) => ({ kind: "oneOf", property, values });
}

function ordered<const L extends string, const H extends string>(low: L, high: H) {
  return (values: Partial<Record<L | H, unknown>>): Problem | null =>
    isAbove(values[low], values[high]) ? { parameter: low, message: `is above ${high}` } : null;
}

type CircleValues = {
  readonly [N in "latitude" | "longitude" | "minRadiusKm" | "maxRadiusKm"]?: number | undefined;
};

function circleProblem(values: CircleValues): Problem | null {
  const { latitude, longitude, minRadiusKm, maxRadiusKm } = values;
  const centre = [latitude, longitude].filter((value) => value !== undefined);
  const hasRadius = minRadiusKm !== undefined || maxRadiusKm !== undefined;
  if (centre.length === 1 || (hasRadius && centre.length === 0)) {
    const parameter = latitude === undefined ? "latitude" : "longitude";
    return { parameter, message: "a circle needs latitude and longitude" };
  }
  if (centre.length === 2 && !hasRadius) {
    return { parameter: "maxRadiusKm", message: "a circle needs maxRadiusKm or minRadiusKm" };
  }
  return ordered("minRadiusKm", "maxRadiusKm")(values);
}

/** A parameter of queries and bodies; `description` begins with its unit. Lists are read in lower case. */
export type Parameter =
  | {
      readonly kind: "number" | "integer";
      readonly bounds: NumberBounds;
      readonly description: string;
    }
  | { readonly kind: "time"; readonly description: string }
  | { readonly kind: "list"; readonly of?: readonly string[]; readonly description: string }
  | {
      readonly kind: "text";
      /** What is wrong with a text. */
      readonly faultOf: (text: string) => string | null;
      readonly description: string;
    }
  | { readonly kind: "id"; readonly description: string };

export type Parameters = Readonly<Record<string, Parameter>>;

export type ValueOf<P> = P extends { readonly kind: "number" | "integer" }
  ? number
  : P extends { readonly kind: "list"; readonly of: readonly (infer V)[] }
    ? V[]
    : P extends { readonly kind: "list" }
      ? string[]
      : string;

type Values<P> = { readonly [N in keyof P]?: ValueOf<P[N]> | undefined };

/** What is read beside the parameters before they mean anything. */
type Resolved = {
  readonly regionArea?: RegionArea | undefined;
  readonly features?: FeatureFilters | undefined;
};

/** Filters of OGC API – Features, beside the parameters. */
export type FeatureFilters = {
  /** As texts of a query string. */
  readonly texts: Readonly<Record<string, string>>;
  readonly expression: Expression;
};

/** A value in words; null of one that is not given. */
type Text = string | null;

/** Inclusive. */
export type NumberBounds = { readonly min?: number | undefined; readonly max?: number | undefined };

type Problem = { readonly parameter: string; readonly message: string };

/** A filter of events: parameters that say one thing together. */
export type Filter<P extends Parameters> = {
  readonly parameters: P;
  readonly expression: (values: Values<P>, resolved: Resolved) => Expression;
  readonly words: (texts: { readonly [N in keyof P]: Text }) => readonly Text[];
  /** What is wrong with values that are right each by itself. */
  readonly problemOf?: (values: Values<P>) => Problem | null;
  /** It needs no more than place, time, depth and magnitude, which the console has of every event. */
  readonly isInConsole?: true;
};

/** A filter of several parameters. */
function filter<const P extends Parameters>(parts: Filter<P>): Filter<P> {
  return parts;
}

/** A filter of one parameter, told with what stands before and behind its value. */
function single<const N extends string, const P extends Parameter>(
  name: N,
  parameter: P,
  expression: (value: ValueOf<P>, resolved: Resolved) => Expression,
  [before, behind = ""]: readonly [before: string, behind?: string],
): Filter<Readonly<Record<N, P>>> {
  return {
    parameters: { [name]: parameter } as Readonly<Record<N, P>>,
    expression: (values, resolved) => {
      const value = values[name];
      return value === undefined ? { all: [] } : expression(value as ValueOf<P>, resolved);
    },
    words: ({ [name]: text }) => [text === null ? null : `${before}${text}${behind}`],
  };
}

function number(description: string, bounds: NumberBounds = {}) {
  return { kind: "number", bounds, description } as const;
}

function integer(description: string, bounds: NumberBounds) {
  return { kind: "integer", bounds, description } as const;
}

function time(description: string) {
  return { kind: "time", description } as const;
}

function list(description: string) {
  return { kind: "list", description } as const;
}

function listOf<const V extends string>(description: string, of: readonly V[]) {
  return { kind: "list", of, description } as const;
}

/** Whether a lower bound, a number or a time, is above its upper bound. */
export function isAbove(low: unknown, high: unknown): boolean {
  if (typeof low === "number" && typeof high === "number") return low > high;
  return typeof low === "string" && typeof high === "string" && compareTimes(low, high) > 0;
}

/** What a saved region is when a request or a run begins. */
export type RegionArea = {
  readonly id: string;
  /** Of its geometry: the same one has the same revision. */
  readonly revision: string;
  readonly area: Area;
};

/** The shape of well-known text, the same one as long as it is kept. @throws GeometryFault */
export function shapeOfWkt(text: string): Shape {
  const known = kept.get(text);
  if (known !== undefined) kept.delete(text);
  const shape = known ?? shapeOf(areaOfWkt(text));
  kept.set(text, shape);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return shape;
}

/** The shape of an area, the same one as long as there is the area. */
function shapeOfArea(area: Area): Shape {
  const shape = shapes.get(area) ?? shapeOf(area);
  shapes.set(area, shape);
  return shape;
}

/** What is wrong with well-known text, and where. */
export function faultOfWkt(text: string): string | null {
  try {
    shapeOfWkt(text);
    return null;
  } catch (error) {
    if (error instanceof GeometryFault) return error.message;
    throw error;
  }
}

/** The area of a text that may be well-known text; null where it is none. */
export function wktArea(text: string | null): Area | null {
  return text !== null && faultOfWkt(text) === null ? shapeOfWkt(text).polygons : null;
}

function polygonText(text: string): string {
  const area = wktArea(text);
  return area === null ? "within a polygon" : `within a polygon of ${countVertices(area)} vertices`;
}

/** A value as it stands in words, with minus signs; as it is asked or as it was read. */
function valueText(value: unknown): Text {
  if (value === undefined || value === null || value === "") return null;
  if (Array.isArray(value)) return value.join(", ");
  return String(value)
    .split(",")
    .map((part) => part.trim().replace(/^-(?=[\d.])/, MINUS))
    .join(", ");
}

function rangeText(name: string, unit: string, from: Text, to: Text): Text {
  if (from !== null && to !== null) return `${name} ${from} to ${to}${unit}`;
  if (from !== null) return `${name} ≥ ${from}${unit}`;
  return to === null ? null : `${name} ≤ ${to}${unit}`;
}

function timeText(start: Text, end: Text): Text {
  const [from, to] = [start, end].map((time) => time?.replace(/T00:00(:00(\.0+)?)?Z?$/, ""));
  if (from && to) return `${from} to ${to}`;
  if (from) return `from ${from}`;
  return to ? `until ${to}` : null;
}

type CircleTexts = {
  readonly [N in "latitude" | "longitude" | "minRadiusKm" | "maxRadiusKm"]: Text;
};

function circleText({
  latitude,
  longitude,
  minRadiusKm: least,
  maxRadiusKm: most,
}: CircleTexts): Text {
  if (latitude === null || longitude === null) return null;
  const place = `${degrees(latitude, "N", "S")} ${degrees(longitude, "E", "W")}`;
  if (most === null) return `${least === null ? "" : `≥ ${least} km `}from ${place}`;
  return least === null ? `within ${most} km of ${place}` : `${least} to ${most} km from ${place}`;
}

function degrees(text: string, positive: string, negative: string): string {
  return text.startsWith(MINUS) ? `${text.slice(1)}° ${negative}` : `${text}° ${positive}`;
}

/**
 * Filters as a seismologist writes them: "M ≥ 2", "depth ≤ 40 km", "within 30 km of 38.8° S 175.9° E".
 * @param filters by the API's names, as an address has them or as they were read; other names are left out
 */
export function filtersInWords(filters: Readonly<Record<string, unknown>>): readonly string[] {
  const texts = Object.fromEntries(
    FILTER_NAMES.map((name) => [name, textOf(FILTER_PARAMETERS[name], filters[name])]),
  ) as Record<FilterName, Text>;
  return FILTERS.flatMap(({ words }) => words(texts)).filter((text) => text !== null);
}

function textOf({ kind }: Parameter, value: unknown): Text {
  const isAsWritten = kind === "text" || kind === "id";
  return isAsWritten && typeof value === "string" ? value || null : valueText(value);
}

/** The filters among the parameters of a request, with what was found for them. */
export function filtersAmong(query: EventFilters): EventFilters {
  const { regionArea } = query;
  return { ...filtersAlone(query), ...(regionArea && { regionArea }) };
}

/** The filters that were asked for, without what was found for them. */
export function filtersAlone(filters: EventFilters): Omit<EventFilters, "regionArea"> {
  return Object.fromEntries(inUse(filters));
}

/** The same, as texts of a query string. */
export function filterTexts(filters: EventFilters): Record<string, string> {
  return Object.fromEntries(inUse(filters).map(([name, value]) => [name, String(value)]));
}

/** A text of all that filters mean: of a region what it is, too. */
export function filterKey(filters: EventFilters): string {
  const { regionArea, features } = filters;
  return JSON.stringify([filterTexts(filters), regionArea?.revision, features?.texts]);
}

function inUse(filters: EventFilters) {
  return FILTER_NAMES.map((name) => [name, filters[name]] as const).filter(
    ([, value]) => value !== undefined,
  );
}
