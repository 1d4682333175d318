import { MINUS } from "#contracts/plots/number-text.ts";
import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { UNKNOWN } from "./format.ts";

export type FieldName = "time" | AttributeName;
export type EventValues = Readonly<Partial<Record<FieldName, string | number | null>>>;

const TITLES = ["Origin", "Magnitude", "Quality", "Event and source"] as const;

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
  event_type: "Event and source",
  event_type_certainty: "Event and source",
  source_id: "Event and source",
  agency_id: "Event and source",
  author: "Event and source",
};

/** All of them, in this order. */
export const FIELD_NAMES = Object.keys(GROUP_OF) as readonly FieldName[];

/** Attributes as they belong together. */
export const GROUPS = TITLES.map((title) => ({
  title,
  names: FIELD_NAMES.filter((name) => GROUP_OF[name] === title),
}));

/** Attributes that are no single values. */
export const STRUCTURES = ["focal_mechanisms", "extra", "source_events"] as const;

const UNITS: Readonly<Record<string, string>> = { deg: "°" };

/** "used_station_count" → "Used station count". */
export function labelOf(name: FieldName | (typeof STRUCTURES)[number]): string {
  const text = name === "agency_id" ? "agency" : name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
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
  const text = typeof value === "number" ? String(value).replace("-", MINUS) : value;
  const unit = unitOf(name);
  if (unit === "") return text;
  return unit === "°" ? text + unit : `${text} ${unit}`;
}
