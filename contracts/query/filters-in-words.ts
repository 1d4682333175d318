import { MINUS } from "../plots/number-text.ts";
import type { filterShape } from "./filter-parameters.ts";

type FilterName = keyof typeof filterShape;

/** Filters by the API's names, as an address has them or as they were read. */
type Filters = Readonly<Record<string, unknown>>;

type Range = {
  readonly from: FilterName;
  readonly to: FilterName;
  readonly name: string;
  readonly unit: string;
};

const RANGES: readonly Range[] = [
  { from: "minMagnitude", to: "maxMagnitude", name: "M", unit: "" },
  { from: "minDepth", to: "maxDepth", name: "depth", unit: " km" },
  { from: "minLatitude", to: "maxLatitude", name: "latitude", unit: "°" },
  { from: "minLongitude", to: "maxLongitude", name: "longitude", unit: "°" },
];

/** What stands before and behind the value of a filter that is told alone. */
const SINGLES: readonly (readonly [name: FilterName, before: string, behind?: string])[] = [
  ["eventType", "type "],
  ["magnitudeType", "magnitude type "],
  ["evaluationStatus", ""],
  ["evaluationMode", ""],
  ["maxAzimuthalGap", "azimuthal gap ≤ ", "°"],
  ["minUsedStationCount", "≥ ", " stations"],
  ["minUsedPhaseCount", "≥ ", " phases"],
  ["maxStandardError", "standard error ≤ ", " s"],
  ["maxMagnitudeUncertainty", "magnitude uncertainty ≤ "],
  ["has", "with "],
  ["minOrigins", "≥ ", " origins"],
  ["minMagnitudes", "≥ ", " magnitudes"],
];

/**
 * Filters as a seismologist writes them: "M ≥ 2", "depth ≤ 40 km", "within 30 km of 38.8° S 175.9° E".
 * Names that are no filters are left out.
 */
export function filtersInWords(filters: Filters): readonly string[] {
  const textOf = (name: FilterName) => valueText(filters[name]);
  return [
    ...RANGES.map(({ from, to, name, unit }) => rangeText(name, unit, textOf(from), textOf(to))),
    timeText(textOf("startTime"), textOf("endTime")),
    circleText(textOf),
    ...SINGLES.map(([name, before, behind = ""]) => {
      const text = textOf(name);
      return text === null ? null : `${before}${text}${behind}`;
    }),
  ].filter((text) => text !== null);
}

type Text = string | null;

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

function circleText(textOf: (name: FilterName) => Text): Text {
  const [latitude, longitude] = [textOf("latitude"), textOf("longitude")];
  if (latitude === null || longitude === null) return null;
  const [least, most] = [textOf("minRadiusKm"), textOf("maxRadiusKm")];
  const place = `${degrees(latitude, "N", "S")} ${degrees(longitude, "E", "W")}`;
  if (most === null) return `${least === null ? "" : `≥ ${least} km `}from ${place}`;
  return least === null ? `within ${most} km of ${place}` : `${least} to ${most} km from ${place}`;
}

function degrees(text: string, positive: string, negative: string): string {
  return text.startsWith(MINUS) ? `${text.slice(1)}° ${negative}` : `${text}° ${positive}`;
}
