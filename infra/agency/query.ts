/**
 * What an agency is asked for: the query, the dialect of its service, windows of time, the URL
 * of a request.
 */

import {
  type ImportDetail,
  type ImportFilters,
  SERVICE_DIALECTS,
  type ServiceDialect,
} from "#contracts/events/imports.ts";
import { type Area, boxOfArea } from "#contracts/geometry/shape.ts";
import { type EventFilters, type RegionArea, shapeOfWkt } from "#contracts/query/filters.ts";
import { microsToTime, parseTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { trimEnd } from "../kernel/texts.ts";

/** First and last instant; ISO 8601 UTC, up to microseconds. */
export type QuerySpan = { readonly startTime: string; readonly endTime: string };

/** Every bound is inclusive, however the agency treats it; an unknown value satisfies none. */
export type AgencyQuery = QuerySpan &
  Readonly<Partial<ImportFilters>> & {
    readonly detail: ImportDetail;
    /** What `region` is in this run. */
    readonly regionArea?: RegionArea | undefined;
    /** Only what the agency changed since then, ISO 8601 UTC; for agencies that can tell. */
    readonly updatedAfter?: string;
  };

/** What a query asks for beside its window, as filters of events. */
export function filtersOf(query: AgencyQuery): EventFilters {
  const { startTime: _, endTime: __, detail: ___, updatedAfter: ____, ...bounds } = query;
  return Object.fromEntries(Object.entries(bounds).filter(([, bound]) => (bound ?? null) !== null));
}

/** A query's time in microseconds since 1970. @throws RangeError */
function queryMicros(text: string): bigint {
  const time = parseTime(text);
  if (time === null) throw new RangeError(`${JSON.stringify(text)} is not a time`);
  return timeToMicros(time);
}

/** Those of the FDSN event service 1.2; the others are extensions of SeisComP and INGV. */
const STANDARD = ["includeallorigins", "includeallmagnitudes", "includearrivals"] as const;

/** Parameters by which event services give more of an event than its preferred solution; true or false. */
const INCLUDES = [
  ...STANDARD,
  "includepicks",
  "includeamplitudes",
  "includestationmagnitudes",
  "includefocalmechanism",
  "includeallfocalmechanisms",
  "includestationmts",
  "includecomments",
  "includeall",
] as const;
export type Include = (typeof INCLUDES)[number];

/** The `format` parameter of a request, which decides how its answer is read. */
export type AnswerFormat = "xml" | "isf" | "text" | "geojson";

export const FORMAT_NAMES: Readonly<Record<AnswerFormat, string>> = {
  xml: "QuakeML",
  isf: "ISF",
  text: "FDSN text",
  geojson: "GeoJSON",
};

/** How an event service differs from the others, as far as imports depend on it. */
type Dialect = {
  /** Domains whose hosts speak it. */
  readonly domains: readonly string[];
  /** What is asked for with events in full: these, or those that its `application.wadl` names. */
  readonly includes: readonly Include[] | "described";
  /** In which format it says most of an event. */
  readonly whole: "xml" | "isf";
  /** In which format it says least of an event, but enough to see that it changed. */
  readonly listing: "xml" | "text" | "geojson";
  /** Whether it can be asked for what changed since a time, or its `application.wadl` tells so. */
  readonly updatedAfter: boolean | "described";
  /** Most events that it gives at once, as far as it is known. */
  readonly cap: number;
};

/** FDSN's services name no limit; 10,000 is GeoNet's and INGV's, and others refuse before. */
const USUAL_CAP = 10_000;

const DIALECTS: Readonly<Record<ServiceDialect, Dialect>> = {
  // INGV, NCEDC, SCEDC and others: the standard, with what each one's description adds.
  fdsn: {
    domains: [],
    includes: "described",
    whole: "xml",
    listing: "text",
    updatedAfter: "described",
    cap: USUAL_CAP,
  },
  // Always gives everything, and refuses to be asked for it. Only its text tells a duplicate.
  geonet: {
    domains: ["geonet.org.nz"],
    includes: [],
    whole: "xml",
    listing: "text",
    updatedAfter: true,
    cap: USUAL_CAP,
  },
  // Ranges of events have mechanisms only with all origins; arrivals are refused with 501. GeoJSON alone
  // has the time of the last change and all ids of an event.
  comcat: {
    domains: ["usgs.gov"],
    includes: ["includeallorigins", "includeallmagnitudes"],
    whole: "xml",
    listing: "geojson",
    updatedAfter: true,
    cap: 20_000,
  },
  // Its description depends on its release, and may name what its settings refuse; it counts objects, not
  // events, and refuses what is too much. `updatedafter` is refused.
  seiscomp: {
    domains: ["gfz.de", "gfz-potsdam.de"],
    includes: "described",
    whole: "xml",
    listing: "text",
    updatedAfter: false,
    cap: USUAL_CAP,
  },
  // By default the prime origin and its magnitudes. It has no text.
  isc: {
    domains: ["isc.ac.uk"],
    includes: STANDARD,
    whole: "isf",
    listing: "xml",
    updatedAfter: false,
    cap: USUAL_CAP,
  },
  emsc: {
    domains: ["seismicportal.eu"],
    includes: STANDARD,
    whole: "xml",
    listing: "text",
    updatedAfter: true,
    cap: 1_000,
  },
};

/** The dialect of the service at an address, by its host; that of the standard for any other host. */
export function dialectOf(url: string): ServiceDialect {
  const host = new URL(url).hostname.toLowerCase();
  const speaks = (name: ServiceDialect) =>
    DIALECTS[name].domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  return SERVICE_DIALECTS.find(speaks) ?? "fdsn";
}

/** What the requests of a query ask for beside its bounds. */
export type AnswerForm = {
  readonly format: AnswerFormat;
  /** What more is asked for: first everything, then less, as long as the agency refuses it; at last nothing. */
  readonly includes: readonly (readonly Include[])[];
};

/**
 * How events are asked for in a dialect.
 * @param described the parameters that the service's description names; asked only where it decides
 */
export async function answerForm(
  dialect: ServiceDialect,
  detail: ImportDetail,
  described: () => Promise<ReadonlySet<string>>,
): Promise<AnswerForm> {
  const { includes, whole, listing } = DIALECTS[dialect];
  if (detail === "summary") {
    return { format: listing === "geojson" ? "text" : listing, includes: [[]] };
  }
  const parameters = includes === "described" ? await described() : new Set<string>(includes);
  const known = INCLUDES.filter((name) => parameters.has(name));
  const standard = known.filter((name) => STANDARD.some((one) => one === name));
  const arrivals = known.filter((name) => name === "includearrivals");
  const steps = [known, standard, arrivals, []];
  const isLess = (step: readonly Include[], i: number) => step.length !== steps[i - 1]?.length;
  return { format: whole, includes: steps.filter(isLess) };
}

/** How events are asked for to see which there are, and which of them changed. */
export function listingForm(dialect: ServiceDialect): AnswerForm {
  return { format: DIALECTS[dialect].listing, includes: [[]] };
}

/** Whether a listing has the time of each event's last change, so that no change escapes it. */
export function listsUpdates(dialect: ServiceDialect): boolean {
  return DIALECTS[dialect].listing === "geojson";
}

/** Whether the agency can be asked for what changed since a time. @param described as for `answerForm` */
export async function takesUpdatedAfter(
  dialect: ServiceDialect,
  described: () => Promise<ReadonlySet<string>>,
): Promise<boolean> {
  const { updatedAfter } = DIALECTS[dialect];
  return updatedAfter === "described" ? (await described()).has("updatedafter") : updatedAfter;
}

/** Most events that the agency gives at once, where nothing else is known of it. */
export function usualCap(dialect: ServiceDialect): number {
  return DIALECTS[dialect].cap;
}

/** Microseconds since 1970; half-open, so neighbouring windows have no gap and no overlap. */
export type TimeWindow = { readonly from: bigint; readonly to: bigint };

const SECOND = 1_000_000n;
/** Shortest window: agencies are asked in whole seconds. */
const SMALLEST_WINDOW = SECOND;
/** Margin at both ends: bounds may be inclusive or exclusive, times rounded to seconds. */
const MARGIN = SECOND;
const FIRST_INSTANT = timeToMicros("0001-01-01T00:00:00Z");
const LAST_INSTANT = timeToMicros("9999-12-31T23:59:59Z");

/** The query's span as a window: the last instant is included, and times are whole microseconds. */
export function spanOf({ startTime, endTime }: QuerySpan): TimeWindow {
  const from = queryMicros(startTime);
  const last = queryMicros(endTime);
  return { from, to: last < LAST_INSTANT ? last + 1n : LAST_INSTANT };
}

export function lengthOf({ from, to }: TimeWindow): bigint {
  return to - from;
}

/** The halves of a window; null when it is too short. */
export function halvesOf(window: TimeWindow): readonly [TimeWindow, TimeWindow] | null {
  if (lengthOf(window) < 2n * SMALLEST_WINDOW) return null;
  const { from, to } = window;
  const middle = from + lengthOf(window) / 2n;
  return [
    { from, to: middle },
    { from: middle, to },
  ];
}

/** The request's span: whole seconds around the window, ISO 8601 without a zone, as in FDSN. */
export function requestSpan({ from, to }: TimeWindow): { start: string; end: string } {
  return { start: wholeSeconds(from - MARGIN), end: wholeSeconds(to + MARGIN + SECOND - 1n) };
}

/** The window as people read it, with inclusive ends. */
export function describeWindow({ from, to }: TimeWindow): { start: string; end: string } {
  return { start: microsToTime(from, 6), end: microsToTime(to - 1n, 6) };
}

function wholeSeconds(micros: bigint): string {
  const bounded =
    micros < FIRST_INSTANT ? FIRST_INSTANT : micros > LAST_INSTANT ? LAST_INSTANT : micros;
  return secondOf(bounded);
}

/** The second in which a time lies, without a zone, as in FDSN. */
function secondOf(micros: bigint): string {
  return microsToTime(micros, 0).slice(0, -1);
}

const DAY = 86_400_000_000n;
/** About 1,700 events at GeoNet. */
const FIRST_LENGTH = 30n * DAY;
/** Longest window in multiples of the previous one: density can change within days. */
const MAX_GROWTH = 4;
/** A remainder shorter than this fraction of a window is added to the window: no request of its own. */
const REMAINDER = 8n;

export type WindowPlan = ReturnType<typeof createWindowPlan>;

/**
 * Cuts a span into windows of about `target` events each, without gaps or overlaps.
 * @param firstLength of the first window, in microseconds
 */
export function createWindowPlan(
  span: TimeWindow,
  target: () => number,
  firstLength = FIRST_LENGTH,
) {
  let rest = span;
  let length = firstLength > SMALLEST_WINDOW ? firstLength : SMALLEST_WINDOW;

  return {
    /** The next window of the span; null at its end. */
    next(): TimeWindow | null {
      if (rest.from >= rest.to) return null;
      const end = rest.from + length;
      const to = end + length / REMAINDER < rest.to ? end : rest.to;
      const window = { from: rest.from, to };
      rest = { from: to, to: rest.to };
      return window;
    },
    /** Records the number of events in a window; the next windows are sized by this density. */
    answered(window: TimeWindow, events: number): void {
      const last = Number(lengthOf(window));
      const promised = events === 0 ? Number.POSITIVE_INFINITY : (last * target()) / events;
      const next = BigInt(Math.round(Math.min(promised, last * MAX_GROWTH)));
      length = next > SMALLEST_WINDOW ? next : SMALLEST_WINDOW;
    },
    /** Records a window that resulted from halving; later windows are at most as long. */
    divided(window: TimeWindow): void {
      if (lengthOf(window) < length) length = lengthOf(window);
    },
    /** Estimated number of windows in the rest of the span. */
    left: () => (rest.from < rest.to ? Number((lengthOf(rest) + length - 1n) / length) : 0),
  };
}

/**
 * Margins added to the bounds of a request; the surplus is filtered out here. GeoNet's bounds are
 * exclusive, and agencies may round values in answers, magnitudes to 0.1 and depths to 1 km.
 */
const MAGNITUDE_MARGIN = 0.06;
const DEPTH_MARGIN = 1;

/** Digits after the point: without rounding, 10.06 − 0.06 would be sent as 9.999999999999999. */
const DIGITS = 9;

/**
 * URL of one request, with only parameters that every agency accepts: not `limit`, `offset`; and with
 * those of the form, which the agency is known to accept.
 */
export function requestUrl(
  base: string,
  query: Omit<AgencyQuery, "detail">,
  window: TimeWindow,
  box: LongitudeBox | null,
  { format, includes }: { readonly format: AnswerFormat; readonly includes: readonly Include[] },
): URL {
  const url = new URL(`${trimEnd(base, "/")}/query`);
  const put = (name: string, bound: number | null | undefined, margin = 0) => {
    if (bound === null || bound === undefined) return;
    url.searchParams.set(name, decimal(bound + margin));
  };
  const { start, end } = requestSpan(window);
  url.searchParams.set("starttime", start);
  url.searchParams.set("endtime", end);
  if (query.updatedAfter !== undefined) {
    url.searchParams.set("updatedafter", secondOf(queryMicros(query.updatedAfter)));
  }
  put("minmagnitude", query.minMagnitude, -MAGNITUDE_MARGIN);
  put("maxmagnitude", query.maxMagnitude, MAGNITUDE_MARGIN);
  put("mindepth", query.minDepth, -DEPTH_MARGIN);
  put("maxdepth", query.maxDepth, DEPTH_MARGIN);
  // Latitudes end at the poles, so a bound there is left out.
  if ((query.minLatitude ?? -90) > -90) put("minlatitude", query.minLatitude, -DEGREES_MARGIN);
  if ((query.maxLatitude ?? 90) < 90) put("maxlatitude", query.maxLatitude, DEGREES_MARGIN);
  put("minlongitude", box?.west);
  put("maxlongitude", box?.east);
  for (const name of includes) url.searchParams.set(name, "true");
  url.searchParams.set("format", format);
  return url;
}

/** Without an exponent, which few agencies accept, and without trailing zeros. */
function decimal(value: number): string {
  return trimEnd(trimEnd(value.toFixed(DIGITS), "0"), ".");
}

/** A box to request, in degrees: west ≤ east, both of one sign. */
export type LongitudeBox = { readonly west: number; readonly east: number };

/** Margin added to each bound, in degrees, since some agencies round to 0.001°. */
export const DEGREES_MARGIN = 0.001;

/** Ends a tenth of a millimetre before the prime meridian, where the eastern side begins. */
const WESTERN = { first: -180, last: -1e-9 };
const EASTERN = { first: 0, last: 180 };

/**
 * The boxes of longitude to request; [null] for all longitudes. A box across the antimeridian
 * becomes two, because few agencies accept west > east. So does one across the prime meridian:
 * GeoNet shifts longitudes to 0…360, where −10…10 is empty.
 */
export function longitudeBoxes(
  query: Pick<AgencyQuery, "minLongitude" | "maxLongitude">,
): readonly (LongitudeBox | null)[] {
  const [west, east] = [query.minLongitude ?? -180, query.maxLongitude ?? 180];
  if (west <= -180 && east >= 180) return [null];
  if (west <= east) return sidesOf(west, east);
  return [...sidesOf(west, 180), ...sidesOf(-180, east)];
}

function sidesOf(west: number, east: number): LongitudeBox[] {
  return [WESTERN, EASTERN].flatMap(({ first, last }) => {
    if (west > last || east < first) return [];
    const [from, to] = [west - DEGREES_MARGIN, east + DEGREES_MARGIN];
    return [{ west: Math.max(first, from), east: Math.min(last, to) }];
  });
}

/**
 * The bounds to ask an agency for: those of the query, or the box of its polygon or its region, whichever is the
 * narrowest. What is asked for in vain is filtered out.
 */
export function askedBounds(query: AgencyQuery) {
  const filters = filtersOf(query);
  let { minLatitude = -90, maxLatitude = 90, minLongitude = -180, maxLongitude = 180 } = filters;
  for (const area of areasOf(filters)) {
    const { west, south, east, north } = boxOfArea(area);
    // Where they have nothing in common, no event is wanted, whatever is asked for.
    if (south <= maxLatitude && north >= minLatitude) {
      [minLatitude, maxLatitude] = [Math.max(south, minLatitude), Math.min(north, maxLatitude)];
    }
    // All meridians meet at a pole.
    const touchesPole = south <= -90 || north >= 90;
    if (!touchesPole && widthOf(west, east) < widthOf(minLongitude, maxLongitude)) {
      [minLongitude, maxLongitude] = [west, east];
    }
  }
  return { minLatitude, maxLatitude, minLongitude, maxLongitude };
}

function areasOf({ polygon, regionArea }: EventFilters): Area[] {
  const drawn = polygon === undefined ? [] : [shapeOfWkt(polygon).polygons];
  return regionArea === undefined ? drawn : [...drawn, regionArea.area];
}

function widthOf(west: number, east: number): number {
  return east < west ? east - west + 360 : east - west;
}
