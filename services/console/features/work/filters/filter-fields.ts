import {
  FILTER_NAMES,
  FILTER_PARAMETERS,
  type FilterName,
  faultOfWkt,
  type Parameter,
} from "#contracts/query/filters.ts";
import type { FilterValues } from "../../../model/filters.ts";
import { sentence } from "../../../ui/text/format.ts";
import { timeOf } from "./local-filter.ts";

type FieldKind = {
  readonly label: string;
  readonly unit?: string;
  readonly bounds?: readonly [least: number, most: number];
  /** The filter at the end of a range that begins with this one. */
  readonly upTo?: FilterName;
  /** Of something else than a number: what stands in its empty field. */
  readonly hint?: string;
  readonly isTime?: true;
  /** What is wrong with a text that is neither a number nor a time. */
  readonly problemOf?: (text: string) => string | undefined;
};

const LATITUDE = { unit: "°", bounds: [-90, 90] } as const;
const LONGITUDE = { unit: "°", bounds: [-180, 180] } as const;
const RADIUS = { unit: "km", bounds: [0, 20_020] } as const;
const TIME = { hint: "YYYY-MM-DD", isTime: true } as const;

const KINDS: Readonly<Partial<Record<FilterName, FieldKind>>> = {
  minMagnitude: { label: "Magnitude from" },
  maxMagnitude: { label: "Magnitude to" },
  minDepth: { label: "Depth from, km" },
  maxDepth: { label: "Depth to, km" },
  startTime: { label: "Time from, UTC", ...TIME },
  endTime: { label: "Time to, UTC", ...TIME },
  minLatitude: { label: "Latitude from", ...LATITUDE, upTo: "maxLatitude" },
  maxLatitude: { label: "to", ...LATITUDE },
  minLongitude: { label: "Longitude from", ...LONGITUDE },
  maxLongitude: { label: "to", ...LONGITUDE },
  latitude: { label: "Circle: latitude", ...LATITUDE },
  longitude: { label: "longitude", ...LONGITUDE },
  minRadiusKm: { label: "Radius from", ...RADIUS, upTo: "maxRadiusKm" },
  maxRadiusKm: { label: "to", ...RADIUS },
  eventType: { label: "Event type", hint: "e.g. earthquake" },
  magnitudeType: { label: "Magnitude type", hint: "e.g. Mw, ML" },
  evaluationStatus: { label: "Evaluation status", hint: "e.g. reviewed" },
  evaluationMode: { label: "Evaluation mode", hint: "e.g. manual" },
  maxAzimuthalGap: { label: "Azimuthal gap up to", unit: "°", bounds: [0, 360] },
  minUsedStationCount: { label: "Stations from" },
  minUsedPhaseCount: { label: "Phases from" },
  maxStandardError: { label: "RMS of residuals up to", unit: "s" },
  maxMagnitudeUncertainty: { label: "Magnitude uncertainty up to" },
  region: { label: "Saved region", hint: "" },
  polygon: { label: "Polygon", unit: "WKT", hint: "", problemOf: polygonProblem },
  has: { label: "With", hint: "e.g. picks" },
  minOrigins: { label: "Origins from" },
  minMagnitudes: { label: "Magnitudes from" },
};

export type FilterField = {
  readonly name: FilterName;
  readonly label: string;
  readonly unit?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly isNumber: boolean;
  /** What is wrong with its value; nothing with an empty one. */
  readonly problemOf: (values: FilterValues) => string | undefined;
};

/** A filter that is not told here is called as the API calls it. */
function kindOf(name: FilterName): FieldKind {
  const told = KINDS[name];
  if (told !== undefined) return told;
  const { kind, description }: Parameter = FILTER_PARAMETERS[name];
  const isNumber = kind === "number" || kind === "integer";
  return { label: name, ...(!isNumber && { hint: description }) };
}

function fieldOf(name: FilterName): FilterField {
  const kind = kindOf(name);
  const { label, unit, hint, isTime, upTo } = kind;
  const problemOf = (values: FilterValues) => {
    const text = values[name];
    if (!text) return undefined;
    if (isTime) return timeProblem(text);
    if (hint !== undefined) return kind.problemOf?.(text);
    const end = upTo === undefined ? undefined : values[upTo];
    const isAbove = end ? Number(text) > Number(end) : false;
    return numberProblem(text, kind) ?? (isAbove ? "Above the end of the range" : undefined);
  };
  return { name, label, unit, placeholder: hint, isNumber: hint === undefined, problemOf };
}

function numberProblem(text: string, { bounds }: FieldKind): string | undefined {
  const value = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) return "A number";
  const isOutside = bounds && (value < bounds[0] || value > bounds[1]);
  return isOutside ? `From ${bounds[0]} to ${bounds[1]}` : undefined;
}

function timeProblem(text: string): string | undefined {
  return /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(timeOf(text))
    ? undefined
    : "A time as 2016-11-13 or 2016-11-13T11:02";
}

function polygonProblem(text: string): string | undefined {
  const fault = faultOfWkt(text);
  return fault === null ? undefined : sentence(fault);
}

/** Filters that belong together. */
type FilterGroup = { readonly label: string; readonly fields: readonly FilterField[] };

export const MAIN_FILTERS: readonly FilterGroup[] = [
  { label: "Magnitude", fields: [fieldOf("minMagnitude"), fieldOf("maxMagnitude")] },
  { label: "Depth, km", fields: [fieldOf("minDepth"), fieldOf("maxDepth")] },
  { label: "Time, UTC", fields: [fieldOf("startTime"), fieldOf("endTime")] },
];

const NAMED_GROUPS: readonly FilterGroup[] = [
  groupOf("Area", [
    "minLatitude",
    "maxLatitude",
    "minLongitude",
    "maxLongitude",
    "region",
    "polygon",
  ]),
  groupOf("Around a place", ["latitude", "longitude", "minRadiusKm", "maxRadiusKm"]),
  groupOf("Kind", ["eventType", "magnitudeType", "evaluationStatus", "evaluationMode", "has"]),
  groupOf("Quality", [
    "maxAzimuthalGap",
    "minUsedStationCount",
    "minUsedPhaseCount",
    "maxStandardError",
    "maxMagnitudeUncertainty",
    "minOrigins",
    "minMagnitudes",
  ]),
];

const named = [...MAIN_FILTERS, ...NAMED_GROUPS].flatMap(({ fields }) => fields);
const others = FILTER_NAMES.filter((name) => !named.some((field) => field.name === name));

export const FURTHER_GROUPS: readonly FilterGroup[] =
  others.length === 0 ? NAMED_GROUPS : [...NAMED_GROUPS, groupOf("Other", others)];

export const FURTHER_FILTERS: readonly FilterField[] = FURTHER_GROUPS.flatMap(
  ({ fields }) => fields,
);

function groupOf(label: string, names: readonly FilterName[]): FilterGroup {
  return { label, fields: names.map(fieldOf) };
}

/**
 * What is wrong with the main filters, a sentence each.
 * @param refused what the service said of a filter
 */
export function problemsOf(
  values: FilterValues,
  refused: (name: FilterName) => string | undefined = () => undefined,
): readonly string[] {
  return MAIN_FILTERS.flatMap(({ label, fields }) => {
    const problems = fields.flatMap((field) => {
      const problem = field.problemOf(values) ?? refused(field.name);
      return problem ? [`${field.label}: ${problem}`] : [];
    });
    if (problems.length > 0) return problems;
    const [from = Number.NaN, to = Number.NaN] = fields.map(({ name, isNumber }) => {
      const text = values[name];
      return text ? (isNumber ? Number(text) : timeOf(text)) : Number.NaN;
    });
    return from > to ? [`${label}: the first is above the second`] : [];
  });
}
