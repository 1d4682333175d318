import type { FilterName, FilterValues } from "../../model/work-state.ts";
import { timeOf } from "./local-filter.ts";

export type FilterField = {
  readonly name: FilterName;
  readonly label: string;
  readonly unit?: string;
  readonly placeholder?: string;
  readonly isNumber: boolean;
  /** What is wrong with its value; nothing with an empty one. */
  readonly problemOf: (values: FilterValues) => string | undefined;
};

function number(
  name: FilterName,
  label: string,
  unit?: string,
  bounds?: readonly [number, number],
): FilterField {
  const problemOf = ({ [name]: text }: FilterValues) => {
    if (!text) return undefined;
    const value = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (Number.isNaN(value)) return "A number";
    if (bounds && (value < bounds[0] || value > bounds[1]))
      return `From ${bounds[0]} to ${bounds[1]}`;
    return undefined;
  };
  return { name, label, ...(unit && { unit }), isNumber: true, problemOf };
}

function moment(name: FilterName, label: string): FilterField {
  const problemOf = ({ [name]: text }: FilterValues) =>
    !text || (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(timeOf(text)))
      ? undefined
      : "A time as 2016-11-13 or 2016-11-13T11:02";
  return { name, label, placeholder: "2016-11-13", isNumber: false, problemOf };
}

/** The beginning of a range of numbers, which is not above its end. */
function upTo(end: FilterName, begin: FilterField): FilterField {
  const problemOf = (values: FilterValues) =>
    begin.problemOf(values) ??
    (limitOf(values, begin.name) > limitOf(values, end) ? "Above the end of the range" : undefined);
  return { ...begin, problemOf };
}

function limitOf(values: FilterValues, name: FilterName, read: (text: string) => number = Number) {
  const text = values[name];
  return text ? read(text) : Number.NaN;
}

function words(name: FilterName, label: string, placeholder: string): FilterField {
  return { name, label, placeholder, isNumber: false, problemOf: () => undefined };
}

const LATITUDES = [-90, 90] as const;
const LONGITUDES = [-180, 180] as const;

/** A range with both its ends. */
export type FilterPair = { readonly label: string; readonly fields: readonly FilterField[] };

export const MAIN_FILTERS: readonly FilterPair[] = [
  {
    label: "Magnitude",
    fields: [number("minMagnitude", "Magnitude from"), number("maxMagnitude", "Magnitude to")],
  },
  {
    label: "Depth, km",
    fields: [number("minDepth", "Depth from, km"), number("maxDepth", "Depth to, km")],
  },
  {
    label: "Time, UTC",
    fields: [moment("startTime", "Time from, UTC"), moment("endTime", "Time to, UTC")],
  },
];

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
    const [from = Number.NaN, to = Number.NaN] = fields.map(({ name, isNumber }) =>
      limitOf(values, name, isNumber ? Number : timeOf),
    );
    return from > to ? [`${label}: the first is above the second`] : [];
  });
}

export const FURTHER_FILTERS: readonly FilterField[] = [
  upTo("maxLatitude", number("minLatitude", "Latitude from", "°", LATITUDES)),
  number("maxLatitude", "to", "°", LATITUDES),
  number("minLongitude", "Longitude from", "°", LONGITUDES),
  number("maxLongitude", "to", "°", LONGITUDES),
  number("latitude", "Circle: latitude", "°", LATITUDES),
  number("longitude", "longitude", "°", LONGITUDES),
  upTo("maxRadiusKm", number("minRadiusKm", "Radius from", "km", [0, 20_020])),
  number("maxRadiusKm", "to", "km", [0, 20_020]),
  words("eventType", "Event type", "earthquake"),
  words("magnitudeType", "Magnitude type", "Mw, ML"),
  words("evaluationStatus", "Evaluation status", "reviewed"),
  words("evaluationMode", "Evaluation mode", "manual"),
  number("maxAzimuthalGap", "Azimuthal gap up to", "°", [0, 360]),
  number("minUsedStationCount", "Stations from"),
  number("minUsedPhaseCount", "Phases from"),
  number("maxStandardError", "Standard error up to", "s"),
  number("maxMagnitudeUncertainty", "Magnitude uncertainty up to"),
];
