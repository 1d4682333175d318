import type { FilterName } from "#contracts/query/filters.ts";
import type { EventColumns } from "../../../model/event-columns.ts";
import { timeOf } from "./local-filter.ts";
import type { Selection } from "./use-filters.ts";

/** What a selection in a plot or in the table runs along. */
export type Dimension = "time" | "magnitude" | "depth" | "latitude" | "longitude";

const NAMES: Readonly<Record<Dimension, readonly [from: FilterName, to: FilterName]>> = {
  time: ["startTime", "endTime"],
  magnitude: ["minMagnitude", "maxMagnitude"],
  depth: ["minDepth", "maxDepth"],
  latitude: ["minLatitude", "maxLatitude"],
  longitude: ["minLongitude", "maxLongitude"],
};

/** Decimals of bounds that are dragged: seconds of time are whole. */
const DECIMALS = { magnitude: 2, depth: 1, latitude: 3, longitude: 3 } as const;

/** Nothing is selected along it. */
export function nothingAlong(dimension: Dimension): Selection {
  const [from, to] = NAMES[dimension];
  return { [from]: "", [to]: "" };
}

/**
 * The events between two values; a bound that is not finite is left open.
 * @param from milliseconds since 1970, magnitude units, km or degrees; longitudes may go beyond 180
 */
export function between(dimension: Dimension, from: number, to: number): Selection {
  const [least, most] = NAMES[dimension];
  const text = (value: number) => (Number.isFinite(value) ? roundedText(dimension, value) : "");
  return { [least]: text(from), [most]: text(to) };
}

function roundedText(dimension: Dimension, value: number): string {
  if (dimension === "time") {
    return new Date(Math.round(value / 1_000) * 1_000).toISOString().replace(".000Z", "Z");
  }
  const wrapped = dimension === "longitude" && value > 180 ? value - 360 : value;
  return String(Number(wrapped.toFixed(DECIMALS[dimension])));
}

/** What the filters let through along it; NaN where they leave it open. */
export function selectedAlong(dimension: Dimension, filters: Selection): readonly [number, number] {
  const [from = "", to = ""] = NAMES[dimension].map((name) => filters[name]);
  const value = (text: string) =>
    text.trim() === "" ? Number.NaN : dimension === "time" ? timeOf(text) : Number(text);
  return [value(from), value(to)];
}

/** Digits that tell apart the numbers that events have, which are of single precision. */
const DIGITS = 7;

/**
 * The events between two rows of the table, as it is sorted; null where one has no such value.
 * @param one index of an event
 */
export function betweenRows(
  columns: EventColumns,
  dimension: Dimension,
  one: number,
  other: number,
): Selection | null {
  const values = [one, other].map((index) => columns[dimension][index] ?? Number.NaN);
  const [from, to] = [Math.min(...values), Math.max(...values)];
  if (Number.isNaN(from) || Number.isNaN(to)) return null;
  const [least, most] = NAMES[dimension];
  if (dimension === "time") {
    return {
      [least]: new Date(Math.floor(from)).toISOString(),
      [most]: new Date(Math.ceil(to)).toISOString(),
    };
  }
  const text = (value: number) => String(Number(value.toPrecision(DIGITS)));
  return { [least]: text(from), [most]: text(to) };
}
