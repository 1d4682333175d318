import { MINUS } from "#contracts/plots/numbers.ts";
import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { type Measure, measured } from "./digits.ts";
import { sentence, UNKNOWN } from "./format.ts";

export type FieldName = "time" | AttributeName;
export type EventValues = Readonly<Partial<Record<FieldName, string | number | null>>>;

const TITLES = ["Origin", "Magnitude", "Quality", "Event"] as const;

/** Where each attribute belongs, in the order in which they are listed. */
const GROUP_OF: Readonly<Record<FieldName, (typeof TITLES)[number]>> = {
  time: "Origin",
  time_uncertainty: "Origin",
  latitude: "Origin",
  latitude_uncertainty: "Origin",
  longitude: "Origin",
  longitude_uncertainty: "Origin",
  horizontal_uncertainty: "Origin",
  depth: "Origin",
  depth_uncertainty: "Origin",
  depth_type: "Origin",
  region: "Origin",
  magnitude: "Magnitude",
  magnitude_type: "Magnitude",
  magnitude_uncertainty: "Magnitude",
  magnitude_station_count: "Magnitude",
  used_station_count: "Quality",
  used_phase_count: "Quality",
  azimuthal_gap: "Quality",
  minimum_distance: "Quality",
  standard_error: "Quality",
  evaluation_mode: "Quality",
  evaluation_status: "Quality",
  event_type: "Event",
  event_type_certainty: "Event",
  source_id: "Event",
  agency_id: "Event",
  author: "Event",
};

/** All of them, in this order. */
export const FIELD_NAMES = Object.keys(GROUP_OF) as readonly FieldName[];

/** Attributes as they belong together. */
export const GROUPS = TITLES.map((title) => ({
  title,
  names: FIELD_NAMES.filter((name) => GROUP_OF[name] === title),
}));

/** The uncertainty of an attribute, which stands beside it. */
const UNCERTAINTY_OF: Readonly<Partial<Record<FieldName, AttributeName>>> = {
  time: "time_uncertainty",
  latitude: "latitude_uncertainty",
  longitude: "longitude_uncertainty",
  depth: "depth_uncertainty",
  magnitude: "magnitude_uncertainty",
};
const UNCERTAINTIES: readonly FieldName[] = Object.values(UNCERTAINTY_OF);

/** Attributes as they belong together, each with its uncertainty where it has one. */
export const ROWS = GROUPS.map(({ title, names }) => ({
  title,
  rows: names
    .filter((name) => !UNCERTAINTIES.includes(name))
    .map((name) => ({ name, sigma: UNCERTAINTY_OF[name] })),
}));

/** Attributes that are no single values. */
const STRUCTURES = ["focal_mechanisms", "extra", "source_events"] as const;

const UNITS: Readonly<Record<string, string>> = { deg: "°" };

type LabelledName = FieldName | (typeof STRUCTURES)[number];

/** Those whose own names, with blanks, are not what people call them. */
const LABELS: Readonly<Partial<Record<LabelledName, string>>> = {
  time_uncertainty: "Uncertainty of the time",
  latitude_uncertainty: "Uncertainty of the latitude",
  longitude_uncertainty: "Uncertainty of the longitude",
  horizontal_uncertainty: "Uncertainty of the epicentre",
  depth_uncertainty: "Uncertainty of the depth",
  depth_type: "Depth is",
  magnitude_uncertainty: "Uncertainty of the magnitude",
  magnitude_station_count: "Stations of the magnitude",
  used_station_count: "Stations used",
  used_phase_count: "Phases used",
  minimum_distance: "Nearest station",
  standard_error: "RMS of the residuals",
  event_type_certainty: "Certainty of the type",
  source_id: "Id at the agency",
  agency_id: "Agency",
  extra: "Further attributes",
  source_events: "Merged events",
};

/** "evaluation_mode" → "Evaluation mode". */
export function labelOf(name: LabelledName): string {
  return sentence(LABELS[name] ?? name.replaceAll("_", " "));
}

export function unitOf(name: FieldName): string {
  if (name === "time") return "UTC";
  const { unit } = attributeOf(name);
  return unit ? (UNITS[unit] ?? unit) : "";
}

export function attributeOf(name: AttributeName): Attribute {
  return ATTRIBUTES[name];
}

/** A value exactly as it is stored, with its unit. */
export function shownValue(name: FieldName, value: string | number | null | undefined): string {
  if (value === null || value === undefined || value === "") return UNKNOWN;
  if (name === "time") return `${String(value).replace("T", " ").replace("Z", "")} UTC`;
  return withUnit(typeof value === "number" ? String(value).replace("-", MINUS) : value, name);
}

function withUnit(text: string, name: FieldName): string {
  const unit = unitOf(name);
  if (unit === "" || text === UNKNOWN) return text;
  return unit === "°" ? text + unit : `${text} ${unit}`;
}

const MEASURES: Readonly<Partial<Record<FieldName, Measure>>> = {
  latitude: "degrees",
  longitude: "degrees",
  depth: "depth",
  magnitude: "magnitude",
  azimuthal_gap: "angle",
  minimum_distance: "distance",
  standard_error: "seconds",
};

/**
 * An attribute of an event as people read it: with the digits that its uncertainty supports, without
 * one as it was given; uncertainties by their own digits.
 */
export function toldValue(name: FieldName, event: EventValues): string {
  const value = event[name];
  if (typeof value !== "number") return shownValue(name, value);
  if (UNCERTAINTIES.includes(name) || name === "horizontal_uncertainty") {
    return withUnit(measured(null, value, "degrees")[1] ?? UNKNOWN, name);
  }
  const measure = MEASURES[name];
  if (measure === undefined) return shownValue(name, value);
  return withUnit(measured(value, sigmaOf(name, event), measure)[0], name);
}

/** "± 0.2 km"; empty where it is not known, or is of another attribute. */
export function toldMargin(name: FieldName, event: EventValues): string {
  const sigma = UNCERTAINTY_OF[name];
  return sigma === undefined || typeof event[sigma] !== "number"
    ? ""
    : `± ${toldValue(sigma, event)}`;
}

function sigmaOf(name: FieldName, event: EventValues): number | null {
  const sigma = UNCERTAINTY_OF[name];
  const value = sigma && event[sigma];
  return typeof value === "number" ? value : null;
}

/** An event with its attributes and its structures. */
type EventState = EventValues & { readonly [S in (typeof STRUCTURES)[number]]?: unknown };

/** What a version made of an attribute: "Magnitude", "2.0", "2.6". */
export type ChangedLine = { readonly label: string; readonly from: string; readonly to: string };

/** Attributes that differ between two states of an event, as people read them. */
export function changedLines(was: EventState, is: EventState): readonly ChangedLine[] {
  const attributes = FIELD_NAMES.filter((name) => (was[name] ?? null) !== (is[name] ?? null)).map(
    (name) => {
      const [from, to] = [toldValue(name, was), toldValue(name, is)];
      // Where they differ in digits that mean nothing, these are all that there is to tell.
      const differ = from !== to;
      return {
        label: labelOf(name),
        from: differ ? from : shownValue(name, was[name]),
        to: differ ? to : shownValue(name, is[name]),
      };
    },
  );
  const structures = STRUCTURES.filter(
    (name) => JSON.stringify(was[name] ?? null) !== JSON.stringify(is[name] ?? null),
  ).map((name) => ({
    label: labelOf(name),
    from: was[name] ? "as before" : "none",
    to: is[name] ? (was[name] ? "others" : "given") : "none",
  }));
  return [...attributes, ...structures];
}
