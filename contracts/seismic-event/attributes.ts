export type AttributeKind = "number" | "integer" | "text" | "enumeration";

/**
 * One scalar attribute of a seismic event.
 * `min` and `max` are inclusive and in `unit`; `aliases` are further input names, compared
 * without regard to case, spaces, underscores, hyphens, dots and slashes.
 */
export type Attribute = {
  readonly kind: AttributeKind;
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  readonly maxLength?: number;
  readonly values?: readonly string[];
  readonly aliases?: readonly string[];
  readonly meaning: string;
};

/** Enumerations of QuakeML 1.2 BED, with the standard's own spelling; those that only bulletins have stand with them. */
export const DEPTH_TYPES = [
  "from location",
  "from moment tensor inversion",
  "from modeling of broad-band P waveforms",
  "constrained by depth phases",
  "constrained by direct phases",
  "constrained by depth and direct phases",
  "operator assigned",
  "other",
] as const;

export const EVALUATION_STATUSES = [
  "preliminary",
  "confirmed",
  "reviewed",
  "final",
  "rejected",
] as const;

export const EVALUATION_MODES = ["manual", "automatic"] as const;

export const EVENT_TYPE_CERTAINTIES = ["known", "suspected"] as const;

export const QUAKEML_EVENT_TYPES = [
  "not existing",
  "not reported",
  "earthquake",
  "anthropogenic event",
  "collapse",
  "cavity collapse",
  "mine collapse",
  "building collapse",
  "explosion",
  "accidental explosion",
  "chemical explosion",
  "controlled explosion",
  "experimental explosion",
  "industrial explosion",
  "mining explosion",
  "quarry blast",
  "road cut",
  "blasting levee",
  "nuclear explosion",
  "induced or triggered event",
  "rock burst",
  "reservoir loading",
  "fluid injection",
  "fluid extraction",
  "crash",
  "plane crash",
  "train crash",
  "boat crash",
  "other event",
  "atmospheric event",
  "sonic boom",
  "sonic blast",
  "acoustic noise",
  "thunder",
  "avalanche",
  "snow avalanche",
  "debris avalanche",
  "hydroacoustic event",
  "ice quake",
  "slide",
  "landslide",
  "rockslide",
  "meteorite",
  "volcanic eruption",
] as const;

/**
 * The scalar attributes in canonical order: the table from which validation, the chunk encoding, the
 * read model's columns and the API's schemas are derived. `time` is an ISO 8601 UTC text and listed
 * separately, because it is neither a number nor free text.
 */
export const ATTRIBUTES = {
  latitude: {
    kind: "number",
    unit: "deg",
    min: -90,
    max: 90,
    aliases: ["lat"],
    meaning: "latitude of the epicentre, WGS 84",
  },
  longitude: {
    kind: "number",
    unit: "deg",
    min: -180,
    max: 180,
    aliases: ["lon", "long", "lng"],
    meaning: "longitude of the epicentre, WGS 84; 180 to 360 is wrapped on input",
  },
  depth: {
    kind: "number",
    unit: "km",
    min: -10,
    max: 1000,
    aliases: ["dep", "depth_km", "depth/km", "focal_depth"],
    meaning: "depth of the hypocentre, positive down",
  },
  magnitude: {
    kind: "number",
    min: -3,
    max: 10,
    aliases: ["mag", "m"],
    meaning: "preferred magnitude",
  },
  magnitude_type: {
    kind: "text",
    maxLength: 32,
    aliases: ["magtype"],
    meaning: "magnitude type, for example ML, Mw, mb; case is significant",
  },
  region: {
    kind: "text",
    maxLength: 255,
    aliases: ["place", "eventlocationname", "location_name", "locality"],
    meaning: "name of the region",
  },
  source_id: {
    kind: "text",
    maxLength: 255,
    aliases: ["id", "eventid", "publicid", "evid"],
    meaning: "identifier given by the submitter or the agency, unique in a catalogue",
  },
  event_type: {
    kind: "enumeration",
    values: QUAKEML_EVENT_TYPES,
    aliases: ["type"],
    meaning: "QuakeML event type",
  },
  event_type_certainty: {
    kind: "enumeration",
    values: EVENT_TYPE_CERTAINTIES,
    aliases: ["typecertainty"],
    meaning: "certainty of the event type",
  },
  evaluation_mode: {
    kind: "enumeration",
    values: EVALUATION_MODES,
    meaning: "evaluation mode of the origin",
  },
  evaluation_status: {
    kind: "enumeration",
    values: EVALUATION_STATUSES,
    meaning: "evaluation status of the origin",
  },
  used_station_count: {
    kind: "integer",
    min: 0,
    max: 100_000,
    aliases: ["station_count", "nst"],
    meaning: "stations used for the origin",
  },
  used_phase_count: {
    kind: "integer",
    min: 0,
    max: 1_000_000,
    aliases: ["phase_count", "nph"],
    meaning: "phases used for the origin",
  },
  azimuthal_gap: {
    kind: "number",
    unit: "deg",
    min: 0,
    max: 360,
    aliases: ["gap"],
    meaning: "largest azimuthal gap between stations",
  },
  standard_error: {
    kind: "number",
    unit: "s",
    min: 0,
    aliases: ["rms", "originerror"],
    meaning: "root mean square of the travel-time residuals",
  },
  minimum_distance: {
    kind: "number",
    unit: "deg",
    min: 0,
    max: 180,
    aliases: ["dmin"],
    meaning: "epicentral distance of the nearest station",
  },
  magnitude_uncertainty: {
    kind: "number",
    min: 0,
    aliases: ["magerror", "sigmamagnitude", "sigmamw", "sigmw"],
    meaning: "uncertainty of the magnitude",
  },
  magnitude_station_count: {
    kind: "integer",
    min: 0,
    max: 100_000,
    aliases: ["magnst"],
    meaning: "stations used for the magnitude",
  },
  depth_uncertainty: {
    kind: "number",
    unit: "km",
    min: 0,
    aliases: ["deptherror"],
    meaning: "uncertainty of the depth",
  },
  horizontal_uncertainty: {
    kind: "number",
    unit: "km",
    min: 0,
    aliases: ["horizontalerror"],
    meaning: "horizontal uncertainty of the epicentre",
  },
  time_uncertainty: {
    kind: "number",
    unit: "s",
    min: 0,
    aliases: ["timeerror"],
    meaning: "uncertainty of the origin time",
  },
  latitude_uncertainty: {
    kind: "number",
    unit: "deg",
    min: 0,
    meaning: "uncertainty of the latitude",
  },
  longitude_uncertainty: {
    kind: "number",
    unit: "deg",
    min: 0,
    meaning: "uncertainty of the longitude",
  },
  depth_type: {
    kind: "enumeration",
    values: DEPTH_TYPES,
    meaning: "how the depth was determined",
  },
  agency_id: {
    kind: "text",
    maxLength: 64,
    aliases: ["agency", "net"],
    meaning: "agency of the origin",
  },
  author: {
    kind: "text",
    maxLength: 128,
    meaning: "author of the origin",
  },
} as const satisfies Record<string, Attribute>;

export type AttributeName = keyof typeof ATTRIBUTES;

/** The scalar attributes' names in canonical order, without `id` and `time`. */
export const ATTRIBUTE_NAMES = Object.keys(ATTRIBUTES) as readonly AttributeName[];

/** Input names of `time` besides `time` itself. */
export const TIME_ALIASES = [
  "origintime",
  "date",
  "datetime",
  "time_string",
  "timestamp",
  "ot",
] as const;

/** Attributes with structures, which are stored as JSON beside the scalar ones. */
export const STRUCTURED_NAMES = ["focal_mechanisms", "extra", "source_events"] as const;
