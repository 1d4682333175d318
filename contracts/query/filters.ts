import { MAX_BULLETIN_ELEMENTS } from "../bulletin/limits.ts";
import { MAX_WKT_VERTICES } from "../geometry/wkt.ts";
import { type Expression, HELD, type Property } from "./expression.ts";
import {
  filter,
  integer,
  isAbove,
  list,
  listOf,
  number,
  type Problem,
  type Resolved,
  single,
  time,
  type Values,
} from "./filter.ts";
import { faultOfWkt, polygonText, shapeOfArea, shapeOfWkt } from "./filter-shapes.ts";
import { circleText, rangeText, timeText } from "./filter-words.ts";

export const HALF_CIRCUMFERENCE_KM = 20_020;

const LATITUDE = { min: -90, max: 90 };
const LONGITUDE = { min: -180, max: 180 };
const RADIUS = number("km, inclusive", { min: 0, max: HALF_CIRCUMFERENCE_KM });
const EVERY_EVENT: Expression = { all: [] };
/** Of one event; no bulletin has more. */
const SOLUTIONS = { min: 0, max: MAX_BULLETIN_ELEMENTS };

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
