import { MINUS } from "#contracts/plots/numbers.ts";
import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import { type Measure, measured, sentence, UNKNOWN } from "./format.ts";

export type FieldName = "time" | AttributeName;
export type EventValues = Readonly<Partial<Record<FieldName, string | number | null>>>;

type Told = {
  /** Where it belongs. */
  readonly group: "Origin" | "Magnitude" | "Quality" | "Event";
  /** What people call it, where that is not its own name with blanks. */
  readonly label?: string;
  readonly measure?: Measure;
  /** Its uncertainty, which stands beside it. */
  readonly sigma?: AttributeName;
};

/** The attributes in the order in which they are listed. */
const TOLD: Readonly<Record<FieldName, Told>> = {
  time: { group: "Origin", sigma: "time_uncertainty" },
  time_uncertainty: { group: "Origin", label: "Uncertainty of the time" },
  latitude: { group: "Origin", measure: "degrees", sigma: "latitude_uncertainty" },
  latitude_uncertainty: { group: "Origin", label: "Uncertainty of the latitude" },
  longitude: { group: "Origin", measure: "degrees", sigma: "longitude_uncertainty" },
  longitude_uncertainty: { group: "Origin", label: "Uncertainty of the longitude" },
  horizontal_uncertainty: { group: "Origin", label: "Uncertainty of the epicentre" },
  depth: { group: "Origin", measure: "depth", sigma: "depth_uncertainty" },
  depth_uncertainty: { group: "Origin", label: "Uncertainty of the depth" },
  depth_type: { group: "Origin", label: "Depth is" },
  region: { group: "Origin" },
  magnitude: { group: "Magnitude", measure: "magnitude", sigma: "magnitude_uncertainty" },
  magnitude_type: { group: "Magnitude" },
  magnitude_uncertainty: { group: "Magnitude", label: "Uncertainty of the magnitude" },
  magnitude_station_count: { group: "Magnitude", label: "Stations of the magnitude" },
  used_station_count: { group: "Quality", label: "Stations used" },
  used_phase_count: { group: "Quality", label: "Phases used" },
  azimuthal_gap: { group: "Quality", measure: "angle" },
  minimum_distance: { group: "Quality", label: "Nearest station", measure: "distance" },
  standard_error: { group: "Quality", label: "RMS of the residuals", measure: "seconds" },
  evaluation_mode: { group: "Quality" },
  evaluation_status: { group: "Quality" },
  event_type: { group: "Event" },
  event_type_certainty: { group: "Event", label: "Certainty of the type" },
  source_id: { group: "Event", label: "Id at the agency" },
  agency_id: { group: "Event", label: "Agency" },
  author: { group: "Event" },
};

/** All of them, in this order. */
export const FIELD_NAMES = Object.keys(TOLD) as readonly FieldName[];

const UNCERTAINTIES: readonly FieldName[] = FIELD_NAMES.flatMap((name) => TOLD[name].sigma ?? []);

/** Attributes as they belong together, each with its uncertainty where it has one. */
export const ROWS = [...Map.groupBy(FIELD_NAMES, (name) => TOLD[name].group)].map(
  ([title, names]) => ({
    title,
    rows: names
      .filter((name) => !UNCERTAINTIES.includes(name))
      .map((name) => ({ name, sigma: TOLD[name].sigma })),
  }),
);

/** Attributes that are no single values. */
const STRUCTURES = {
  focal_mechanisms: "Focal mechanisms",
  extra: "Further attributes",
  source_events: "Merged events",
} as const satisfies Readonly<Record<(typeof STRUCTURED_NAMES)[number], string>>;

const UNITS: Readonly<Record<string, string>> = { deg: "°" };

/** "evaluation_mode" → "Evaluation mode". */
export function labelOf(name: FieldName): string {
  return sentence(TOLD[name].label ?? name.replaceAll("_", " "));
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
  const { measure } = TOLD[name];
  if (measure === undefined) return shownValue(name, value);
  return withUnit(measured(value, sigmaOf(name, event), measure)[0], name);
}

/** "± 0.2 km"; empty where it is not known, or is of another attribute. */
export function toldMargin(name: FieldName, event: EventValues): string {
  const { sigma } = TOLD[name];
  return sigma === undefined || typeof event[sigma] !== "number"
    ? ""
    : `± ${toldValue(sigma, event)}`;
}

function sigmaOf(name: FieldName, event: EventValues): number | null {
  const { sigma } = TOLD[name];
  const value = sigma && event[sigma];
  return typeof value === "number" ? value : null;
}

/** An event with its attributes and its structures. */
type EventState = EventValues & { readonly [S in keyof typeof STRUCTURES]?: unknown };

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
  const structures = STRUCTURED_NAMES.filter(
    (name) => JSON.stringify(was[name] ?? null) !== JSON.stringify(is[name] ?? null),
  ).map((name) => ({
    label: STRUCTURES[name],
    from: was[name] ? "as before" : "none",
    to: is[name] ? (was[name] ? "others" : "given") : "none",
  }));
  return [...attributes, ...structures];
}
