import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { MINUS, UNKNOWN } from "./format.ts";

export type FieldName = "time" | AttributeName;
export type EventValues = Readonly<Partial<Record<FieldName, string | number | null>>>;

/** Attributes as they belong together. */
export const GROUPS: readonly { readonly title: string; readonly names: readonly FieldName[] }[] = [
  {
    title: "Origin",
    names: [
      "time",
      "time_uncertainty",
      "latitude",
      "latitude_uncertainty",
      "longitude",
      "longitude_uncertainty",
      "horizontal_uncertainty",
      "depth",
      "depth_uncertainty",
      "depth_type",
      "region",
    ],
  },
  {
    title: "Magnitude",
    names: ["magnitude", "magnitude_type", "magnitude_uncertainty", "magnitude_station_count"],
  },
  {
    title: "Quality",
    names: [
      "used_station_count",
      "used_phase_count",
      "azimuthal_gap",
      "minimum_distance",
      "standard_error",
      "evaluation_mode",
      "evaluation_status",
    ],
  },
  {
    title: "Event and source",
    names: ["event_type", "event_type_certainty", "source_id", "agency_id", "author"],
  },
];

/** All of them, in this order. */
export const FIELD_NAMES: readonly FieldName[] = GROUPS.flatMap(({ names }) => names);

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
