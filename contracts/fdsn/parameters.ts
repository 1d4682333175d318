import { z } from "zod";
import { unknownCase } from "../cases.ts";
import {
  FILTER_NAMES,
  FILTER_PARAMETERS,
  type FilterName,
  type Parameter as FilterParameter,
  type NumberBounds,
} from "../query/filters.ts";
import { bounded, EventOrder } from "../query/parameters.ts";
import { QUAKEML_EVENT_TYPES } from "../seismic-event/attributes.ts";

/**
 * The formats of the method `query`, by the names that stand for them: those of the standard (xml and
 * text), of ComCat, of EMSC (json), of ISC (isf) and of SeisComP (sc3ml).
 */
export const FORMAT_OF = {
  xml: "xml",
  quakeml: "xml",
  qml: "xml",
  text: "text",
  geojson: "geojson",
  csv: "csv",
  kml: "kml",
  json: "json",
  isf: "isf",
  sc3ml: "sc3ml",
} as const;

export type FdsnFormat = (typeof FORMAT_OF)[keyof typeof FORMAT_OF];

/** The formats of the method `count`, as ComCat's. */
export const COUNT_FORMATS = ["text", "geojson", "xml"] as const satisfies readonly FdsnFormat[];

/** The default of each method that takes a query. */
export const DEFAULT_FORMAT = { query: "xml", count: "text" } as const;

export type FdsnMethod = keyof typeof DEFAULT_FORMAT;

const FORMATS: ReadonlyMap<string, FdsnFormat> = new Map(Object.entries(FORMAT_OF));

/** The format that a method's parameter or path names, in any case; null for an unknown one. */
export function formatNamed(name: string, method: FdsnMethod): FdsnFormat | null {
  const format = FORMATS.get(name.toLowerCase()) ?? null;
  if (method === "query" || format === null) return format;
  return COUNT_FORMATS.find((known) => known === format) ?? null;
}

const LATITUDE = { kind: "number", min: -90, max: 90, range: "degrees from pole to pole" } as const;
const LONGITUDE = {
  kind: "number",
  min: -360,
  max: 360,
  range: "degrees of at most one turn",
} as const;
const DEGREES = { kind: "number", min: 0, max: 180, range: "degrees up to the antipode" } as const;
/** 180° at ComCat's 111.12 km. */
const KILOMETRES = {
  kind: "number",
  min: 0,
  max: 20_001.6,
  range: "kilometres up to the antipode",
} as const;
const FLAG = { kind: "boolean", default: "false" } as const;

const KNOWN = {
  starttime: {
    kind: "time",
    aliases: ["start"],
    required: true,
    meaning: "origin time at or after it",
  },
  endtime: {
    kind: "time",
    aliases: ["end"],
    required: true,
    meaning: "origin time at or before it; a date is its midnight",
  },
  minlatitude: {
    ...LATITUDE,
    aliases: ["minlat"],
    required: true,
    default: "-90.0",
    meaning: "southern edge of a box, inclusive",
  },
  maxlatitude: {
    ...LATITUDE,
    aliases: ["maxlat"],
    required: true,
    default: "90.0",
    meaning: "northern edge of a box, inclusive",
  },
  minlongitude: {
    ...LONGITUDE,
    aliases: ["minlon"],
    required: true,
    default: "-180.0",
    meaning: "western edge of a box, inclusive; east of maxlongitude: across the antimeridian",
  },
  maxlongitude: {
    ...LONGITUDE,
    aliases: ["maxlon"],
    required: true,
    default: "180.0",
    meaning: "eastern edge of a box, inclusive",
  },
  latitude: {
    ...LATITUDE,
    aliases: ["lat"],
    meaning: "centre of a circle, with longitude",
  },
  longitude: {
    ...LONGITUDE,
    aliases: ["lon"],
    meaning: "centre of a circle, with latitude",
  },
  minradius: {
    ...DEGREES,
    default: "0.0",
    meaning: "great-circle distance at least, degrees",
  },
  maxradius: {
    ...DEGREES,
    default: "180.0",
    meaning: "great-circle distance at most, degrees",
  },
  minradiuskm: {
    source: "ComCat",
    ...KILOMETRES,
    meaning: "great-circle distance at least, kilometres; not beside degrees",
  },
  maxradiuskm: {
    source: "ComCat",
    ...KILOMETRES,
    meaning: "great-circle distance at most, kilometres; not beside degrees",
  },
  mindepth: {
    kind: "number",
    required: true,
    meaning: "depth at least, kilometres down",
  },
  maxdepth: {
    kind: "number",
    required: true,
    meaning: "depth at most, kilometres down",
  },
  minmagnitude: {
    kind: "number",
    aliases: ["minmag"],
    required: true,
    meaning: "preferred magnitude at least",
  },
  maxmagnitude: {
    kind: "number",
    aliases: ["maxmag"],
    required: true,
    meaning: "preferred magnitude at most",
  },
  magnitudetype: {
    kind: "list",
    aliases: ["magtype"],
    meaning: "type of the magnitude (magnitudescope), or several; mb is not mB, else any case",
  },
  eventtype: {
    source: "FDSN 1.2",
    kind: "list",
    options: [...QUAKEML_EVENT_TYPES, "unknown", "*"],
    meaning:
      "QuakeML event types; earthquake includes events without a type, unknown is those only",
  },
  magnitudescope: {
    source: "own",
    kind: "choice",
    default: "preferred",
    options: ["preferred", "any"],
    meaning:
      "in xml and counts: whose type and size magnitudetype and its bounds mean, the preferred magnitude's or any one's",
  },
  includeallorigins: { ...FLAG, meaning: "in xml, all origins" },
  includeallmagnitudes: {
    ...FLAG,
    meaning: "in xml, all magnitudes and the origins that they name",
  },
  includearrivals: {
    ...FLAG,
    meaning: "in xml, the arrivals of the origins in the answer, with their picks",
  },
  includepicks: {
    source: "SeisComP",
    ...FLAG,
    meaning: "in xml, all picks, used or not; false leaves out arrivals too",
  },
  includeamplitudes: { source: "INGV", ...FLAG, meaning: "in xml, amplitudes with their picks" },
  includestationmagnitudes: {
    source: "INGV",
    ...FLAG,
    meaning: "in xml, station magnitudes and contributions, with their amplitudes and picks",
  },
  includecomments: { source: "SeisComP", ...FLAG, meaning: "in xml, comments of every level" },
  includeall: {
    source: "INGV",
    ...FLAG,
    meaning: "in xml, all that is known of the events, foreign elements too",
  },
  eventid: {
    kind: "list",
    meaning: "public ids, ids of this service or of an agency",
  },
  limit: {
    kind: "integer",
    min: 1,
    range: "one or more",
    meaning: "events at most; without it all",
  },
  offset: {
    kind: "integer",
    min: 1,
    range: "one or more",
    default: "1",
    meaning: "the first event wanted; the first of all is 1",
  },
  orderby: {
    kind: "choice",
    required: true,
    default: "time",
    options: EventOrder.options,
    meaning: "newest or largest first, except with -asc",
  },
  catalog: { kind: "text", meaning: "a catalogue's name or id" },
  contributor: { kind: "text", meaning: "the agency that contributed the event" },
  updatedafter: {
    kind: "time",
    meaning: "events whose last change was committed after it",
  },
  format: {
    kind: "choice",
    default: "xml",
    options: Object.keys(FORMAT_OF),
    meaning: "of the answer; quakeml and qml are xml",
  },
  nodata: {
    kind: "choice",
    default: "204",
    options: ["204", "404"],
    range: "one of the two statuses that mean no data",
    meaning: "the status for no events, in xml and text",
  },
  asof: {
    source: "own",
    kind: "version",
    meaning: "the version of the catalogue to read, by number or by time",
  },
  jsonerror: {
    source: "ComCat",
    ...FLAG,
    meaning: "with geojson, errors as an empty FeatureCollection",
  },
  includedeleted: {
    source: "ComCat",
    kind: "choice",
    default: "false",
    options: ["false", "true", "only"],
    meaning:
      "also, or only, events that an earlier version had, with their last values and marked as deleted",
  },
  includesuperseded: {
    source: "ComCat",
    ...FLAG,
    meaning:
      "true only beside eventid: no product of an event is superseded; for earlier forms, asof",
  },
} as const satisfies Readonly<Record<string, Parameter>>;

/** Filters of what events have beside their rows, which an event service asks for in another way: by `include…`. */
const OF_BULLETINS = ["has", "minOrigins", "minMagnitudes"] as const satisfies FilterName[];
type OwnFilter = Exclude<
  Lowercase<FilterName>,
  keyof typeof KNOWN | Lowercase<(typeof OF_BULLETINS)[number]>
>;

/** The filters that event services have no name for: our names, in lower case. */
export const OWN_FILTERS = FILTER_NAMES.filter(
  (filter) => !(OF_BULLETINS as readonly string[]).includes(filter),
)
  .map((filter) => [filter.toLowerCase() as OwnFilter, filter] as const)
  .filter(([name]) => !(name in KNOWN));

/**
 * The parameters of the method `query`, by long name. Validation, WADL, application.json and
 * documentation are made of this table.
 */
export const PARAMETERS = {
  ...KNOWN,
  ...(Object.fromEntries(
    OWN_FILTERS.map(([name, filter]) => [name, ownParameter(filter)]),
  ) as Record<OwnFilter, Parameter>),
};

function ownParameter(filter: FilterName): Parameter {
  const parameter: FilterParameter = FILTER_PARAMETERS[filter];
  const { kind, description } = parameter;
  return {
    source: "own",
    kind: kind === "id" ? "text" : kind,
    meaning: `the filter ${filter}: ${description}`,
    ...("bounds" in parameter && parameter.bounds),
    ...("of" in parameter && parameter.of && { options: parameter.of }),
  };
}

export type ParameterName = keyof typeof PARAMETERS;

export const PARAMETER_NAMES = Object.keys(PARAMETERS) as ParameterName[];

/**
 * `choice` is one of `options`, `list` a comma list, of `options` where there are any; both in any
 * case.
 */
export type ParameterKind =
  | "time"
  | "number"
  | "integer"
  | "boolean"
  | "choice"
  | "list"
  | "text"
  | "version";

export type Parameter = NumberBounds & {
  /**
   * Where it comes from: absent, FDSN Web Service Specification 1.1, fdsnws-event, query, with the parameters of all
   * services; `FDSN 1.2`, added there; `ComCat`, `SeisComP` and `INGV`, extensions of those services; `own`, one of
   * this service.
   */
  readonly source?: "FDSN 1.2" | "ComCat" | "SeisComP" | "INGV" | "own";
  readonly kind: ParameterKind;
  readonly meaning: string;
  readonly aliases?: readonly string[];
  /** The standard requires services to support it. */
  readonly required?: true;
  /** What its absence means, where the standard or the service says so. */
  readonly default?: string;
  /** The bounds in words, for error texts, which may hold no further numbers. */
  readonly range?: string;
  readonly options?: readonly string[];
};

/** The parameters of a method, for the OpenAPI document; requests are read by `parseFdsnQuery`. */
export function documentedParameters(method: FdsnMethod): z.ZodObject {
  const parameters: [string, Parameter][] = Object.entries(PARAMETERS);
  return z.strictObject(
    Object.fromEntries(
      parameters.map(([name, parameter]) => {
        const options = name === "format" && method === "count" ? COUNT_FORMATS : parameter.options;
        const schema = schemaOf({ ...parameter, ...(options && { options }) });
        return [name, schema.describe(parameter.meaning).optional()];
      }),
    ),
  );
}

function schemaOf({ kind, min, max, options }: Parameter): z.ZodType {
  switch (kind) {
    case "number":
    case "integer":
      return bounded(kind === "integer" ? z.int() : z.number(), { min, max });
    case "boolean":
      return z.enum(["true", "false"]);
    case "choice":
      return options === undefined ? z.string() : z.enum(options as [string, ...string[]]);
    case "time":
    case "list":
    case "text":
    case "version":
      return z.string();
    default:
      return unknownCase(kind);
  }
}
