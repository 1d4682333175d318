import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { parseTime, timeToMicros } from "#contracts/seismic-event/time.ts";

/** Which bounds of the agency are exclusive; at GeoNet those of magnitude and depth are. */
type Strictness = {
  readonly values: boolean;
  readonly times: boolean;
};

export type ServedFormat = "xml" | "text" | "isf" | "geojson";

/** What an agency understands. */
type Knowledge = Pick<
  Habits,
  "strict" | "includes" | "formats" | "updatedAfter" | "wraps" | "shifted"
>;

export type FdsnQuery = {
  readonly format: ServedFormat;
  /** The parameters of what more is wanted that are true. */
  readonly includes: ReadonlySet<string>;
  /** First and last microsecond that matches. */
  readonly startMicros: number;
  readonly endMicros: number;
  /** Only what was changed then or later; −∞ where everything is asked for. */
  readonly updatedAfterMs: number;
  readonly matches: (row: JsonObject) => boolean;
};

/** Full names with their abbreviations. GeoNet refuses every other parameter. */
const PARAMETERS: Readonly<Record<string, string>> = {
  starttime: "start",
  endtime: "end",
  minlatitude: "minlat",
  maxlatitude: "maxlat",
  minlongitude: "minlon",
  maxlongitude: "maxlon",
  mindepth: "mindepth",
  maxdepth: "maxdepth",
  minmagnitude: "minmag",
  maxmagnitude: "maxmag",
  updatedafter: "updatedafter",
  format: "format",
  nodata: "nodata",
};
const NAMES = new Map(
  Object.entries(PARAMETERS).flatMap(([name, short]) => [
    [name, name],
    [short, name],
  ]),
);

/** The query, or the sentence of a 400. */
export function parseFdsnQuery(
  given: URLSearchParams,
  { strict, includes, formats, updatedAfter, wraps, shifted }: Knowledge = GEONET,
): FdsnQuery | string {
  const values = new Map<string, string>();
  for (const [key, value] of given) {
    const name = includes.includes(key) ? key : NAMES.get(key);
    if (name === undefined || (name === "updatedafter" && !updatedAfter)) {
      return `"${key}" is not supported`;
    }
    if (values.has(name)) return `"${key}" is given twice`;
    values.set(name, value);
  }
  const number = (name: string): number | null => {
    const text = values.get(name);
    return text === undefined ? null : /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  };
  const micros = (name: string, otherwise: number): number => {
    const time = parseTime(values.get(name) ?? "");
    if (time !== null) return Number(timeToMicros(time));
    return values.has(name) ? Number.NaN : otherwise;
  };
  const numbers = Object.keys(PARAMETERS).filter((name) => /^(?:min|max)/.test(name));
  for (const name of numbers) if (Number.isNaN(number(name))) return `"${name}" is no number`;
  const start = micros("starttime", Number.NEGATIVE_INFINITY);
  const end = micros("endtime", Number.POSITIVE_INFINITY);
  const updated = micros("updatedafter", Number.NEGATIVE_INFINITY);
  if ([start, end, updated].some(Number.isNaN)) return "a time is malformed";
  const wanted = values.get("format") ?? "xml";
  const format = formats.find((known) => known === wanted);
  if (format === undefined) return `format "${wanted}" is not supported`;

  const magnitude = between(number("minmagnitude"), number("maxmagnitude"), strict.values);
  const depth = between(number("mindepth"), number("maxdepth"), strict.values);
  const latitude = between(number("minlatitude"), number("maxlatitude"), false);
  const [west, east] = [number("minlongitude"), number("maxlongitude")];
  if (!wraps && (west ?? -180) > (east ?? 180)) return "minlongitude is above maxlongitude";
  const longitude = (shifted ? shiftedBox : plainBox)(west, east);
  return {
    format,
    includes: new Set(includes.filter((name) => values.get(name) === "true")),
    startMicros: strict.times ? start + 1 : start,
    endMicros: strict.times ? end - 1 : end,
    updatedAfterMs: updated / 1_000,
    matches: (row) =>
      magnitude(row["magnitude"]) &&
      depth(row["depth"]) &&
      latitude(row["latitude"]) &&
      longitude(row["longitude"]),
  };
}

type Test = (value: JsonValue | undefined) => boolean;

function between(min: number | null, max: number | null, strict: boolean): Test {
  if (min === null && max === null) return () => true;
  const [low, high] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
  return (value) =>
    typeof value === "number" &&
    (strict ? value > low && value < high : value >= low && value <= high);
}

/** West > east crosses the antimeridian. */
function plainBox(min: number | null, max: number | null): Test {
  const [west, east] = [min ?? -180, max ?? 180];
  if (west <= east) return between(min, max, false);
  return (value) => typeof value === "number" && (value >= west || value <= east);
}

/** GeoNet shifts longitudes to 0…360: 170…−170 works and −10…10 is empty. */
function shiftedBox(min: number | null, max: number | null): Test {
  if (min === null && max === null) return () => true;
  const shift = (longitude: number) => (longitude < 0 ? longitude + 360 : longitude);
  const test = between(shift(min ?? -180), shift(max ?? 180), false);
  return (value) => typeof value === "number" && test(shift(value));
}

const STANDARD = ["includeallorigins", "includeallmagnitudes", "includearrivals"];

/** The ways of an event service, as far as clients meet them. */
export type Habits = {
  /** More events than this are refused. */
  readonly cap: number;
  /** How: 413 as most agencies, 400 as USGS, or the first `cap` events as if they were all. */
  readonly overCap: "413" | "400" | "silent";
  /** Exclusive bounds. */
  readonly strict: Strictness;
  readonly formats: readonly ServedFormat[];
  /** Parameters beyond GeoNet's by which more of each event is given. */
  readonly includes: readonly string[];
  /** Parameters that are answered 501. */
  readonly unimplemented: readonly string[];
  /** Parameters in its description; undefined: it has none. */
  readonly described: readonly string[] | undefined;
  /** Understands `updatedafter`; others answer 400. */
  readonly updatedAfter: boolean;
  /** Takes west > east for a box across the antimeridian; others answer 400. */
  readonly wraps: boolean;
  /** Counts longitudes from 0 to 360, so that −10 to 10 is empty. */
  readonly shifted: boolean;
  /** Text rounded as GeoNet's. */
  readonly rounded: boolean;
  /** Text has the column of types, which is version 1.2's. */
  readonly typed: boolean;
  /** Errors have the blank lines of the standard. */
  readonly spacedErrors: boolean;
};

/** That of the standard, as INGV and others have it. */
const FDSN: Habits = {
  cap: 10_000,
  overCap: "413",
  strict: { values: false, times: false },
  formats: ["xml", "text"],
  includes: STANDARD,
  unimplemented: [],
  described: [...STANDARD, "updatedafter", "limit", "orderby"],
  updatedAfter: true,
  wraps: false,
  shifted: false,
  rounded: false,
  typed: false,
  spacedErrors: true,
};

/** GeoNet's, with exact text. */
export const GEONET: Habits = {
  ...FDSN,
  strict: { values: true, times: false },
  includes: [],
  described: undefined,
  wraps: true,
  shifted: true,
  typed: true,
  spacedErrors: false,
};

export const HABITS = {
  fdsn: FDSN,
  geonet: { ...GEONET, rounded: true },
  comcat: {
    ...FDSN,
    cap: 20_000,
    overCap: "400",
    formats: ["xml", "text", "geojson"],
    includes: ["includeallorigins", "includeallmagnitudes"],
    unimplemented: ["includearrivals"],
    described: undefined,
  },
  emsc: { ...FDSN, cap: 1_000, overCap: "silent", described: undefined },
  seiscomp: { ...FDSN, updatedAfter: false, wraps: true, typed: true, described: STANDARD },
  isc: { ...FDSN, formats: ["xml", "isf"], updatedAfter: false, described: undefined },
} as const satisfies Record<string, Habits>;

export type ServedDialect = keyof typeof HABITS;
