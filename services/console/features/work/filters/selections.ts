import { type Area, boxOfArea, wktOf } from "#contracts/geometry/shape.ts";
import { type FilterName, wktArea } from "#contracts/query/filters.ts";
import type { Shape } from "../../../map/shapes.ts";
import type { Bounds } from "../../../model/bounds.ts";
import type { EventColumns } from "../../../model/event-columns.ts";
import {
  azimuthTo,
  circleAround,
  distanceKm,
  placeFrom,
  wayBetween,
} from "../../../model/great-circle.ts";
import { type FilterValues, numberOf, type SectionLine } from "../../../model/work-state.ts";
import { timeOf } from "./local-filter.ts";
import { type Selection, withoutNames } from "./use-filters.ts";

/** What a selection in a plot or in the table runs along. */
export type Dimension = "time" | "magnitude" | "depth" | "latitude" | "longitude";

const RANGE_FILTERS: Readonly<Record<Dimension, readonly [from: FilterName, to: FilterName]>> = {
  time: ["startTime", "endTime"],
  magnitude: ["minMagnitude", "maxMagnitude"],
  depth: ["minDepth", "maxDepth"],
  latitude: ["minLatitude", "maxLatitude"],
  longitude: ["minLongitude", "maxLongitude"],
};

/** Decimals of bounds that are dragged: seconds of time are whole. */
const DECIMALS = { magnitude: 2, depth: 1, latitude: 3, longitude: 3 } as const;

export function nothingAlong(dimension: Dimension): Selection {
  const [from, to] = RANGE_FILTERS[dimension];
  return { [from]: "", [to]: "" };
}

/**
 * The events between two values; a bound that is not finite is left open.
 * @param from milliseconds since 1970, magnitude units, km or degrees; longitudes may go beyond 180
 */
export function between(dimension: Dimension, from: number, to: number): Selection {
  const [least, most] = RANGE_FILTERS[dimension];
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
  const [from = "", to = ""] = RANGE_FILTERS[dimension].map((name) => filters[name]);
  const value = (text: string) => (dimension === "time" && text.trim() ? timeOf : numberOf)(text);
  return [value(from), value(to)];
}

/** Digits that tell apart the numbers that events have, which are of single precision. */
const ROW_DIGITS = 7;

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
  const [least, most] = RANGE_FILTERS[dimension];
  if (dimension === "time") {
    return {
      [least]: new Date(Math.floor(from)).toISOString(),
      [most]: new Date(Math.ceil(to)).toISOString(),
    };
  }
  const text = (value: number) => String(Number(value.toPrecision(ROW_DIGITS)));
  return { [least]: text(from), [most]: text(to) };
}

/** Digits of a degree in filters that are drawn, about a hundred metres. */
const SHAPE_DIGITS = 3;

const SHAPE_FILTERS: Readonly<Partial<Record<Shape["kind"], readonly FilterName[]>>> = {
  box: ["minLatitude", "maxLatitude", "minLongitude", "maxLongitude"],
  circle: ["latitude", "longitude", "minRadiusKm", "maxRadiusKm"],
  polygon: ["polygon"],
  region: ["region"],
};

/** The filters with what was drawn in place of an earlier shape of its kind. */
export function withShape(filters: FilterValues, shape: Shape): FilterValues {
  const others = withoutShape(filters, shape);
  if (shape.kind === "box") {
    const { south, north, west, east } = shape.bounds;
    return {
      ...others,
      ...between("latitude", south, north),
      ...between("longitude", west, east),
    };
  }
  if (shape.kind === "polygon") return { ...others, polygon: wktOf(shape.area) };
  if (shape.kind !== "circle") return filters;
  return {
    ...others,
    latitude: degrees(shape.middle.latitude),
    longitude: degrees(shape.middle.longitude),
    maxRadiusKm: String(Number(shape.km.toPrecision(3))),
  };
}

export function withoutShape(filters: FilterValues, { kind }: Shape): FilterValues {
  return withoutNames(filters, SHAPE_FILTERS[kind] ?? []);
}

/** A saved region as far as a map draws it. */
export type DrawnRegion = {
  readonly area: Area;
  readonly name: string | null;
  readonly bounds: Bounds;
};

/** What a map draws of the filters and of the line of a section. */
export function shapesOf(
  filters: FilterValues,
  line: SectionLine | null,
  region: DrawnRegion | null,
): readonly Shape[] {
  const box = boxOf(filters);
  const circle = circleOf(filters);
  // Null also of a text that is none: the service says why.
  const area = wktArea(filters.polygon ?? null);
  return [
    ...(box ? [{ kind: "box", bounds: box } as const] : []),
    ...(circle ? [circle] : []),
    ...(area ? [{ kind: "polygon", area } as const] : []),
    ...(region ? [{ kind: "region", area: region.area, name: region.name } as const] : []),
    ...(line ? [sectionShape(line)] : []),
  ];
}

/** The box of filters that have all its sides. */
function boxOf(filters: FilterValues): Bounds | null {
  const [south, north] = selectedAlong("latitude", filters);
  const [west, east] = selectedAlong("longitude", filters);
  const isWhole = [south, north, west, east].every((side) => !Number.isNaN(side));
  return isWhole ? { south, north, west, east } : null;
}

function circleOf(filters: FilterValues): Extract<Shape, { kind: "circle" }> | null {
  const middle = { latitude: numberOf(filters.latitude), longitude: numberOf(filters.longitude) };
  const km = numberOf(filters.maxRadiusKm);
  const isWhole = !Number.isNaN(middle.latitude + middle.longitude + km);
  return isWhole ? { kind: "circle", middle, km } : null;
}

/** Where the filters look: their box or the box around another shape of theirs; null where they look everywhere. */
export function areaOf(filters: FilterValues, region: DrawnRegion | null): Bounds | null {
  const box = boxOf(filters);
  if (box) return box;
  const area = wktArea(filters.polygon ?? null);
  if (area) return boxOfArea(area);
  if (region) return region.bounds;
  const circle = circleOf(filters);
  if (!circle) return null;
  const [north, east, south, west] = circleAround(circle.middle, circle.km, 4);
  if (!north || !east || !south || !west) return null;
  return {
    south: south.latitude,
    north: north.latitude,
    west: west.longitude,
    east: east.longitude,
  };
}

/** A drawn line as the section's page knows it: by its middle. */
export function lineOf(drawn: Extract<Shape, { kind: "section" }>): SectionLine {
  const { from, to, halfWidthKm } = drawn;
  const [, middle = from] = wayBetween(from, to, 2);
  return {
    latitude: Number(degrees(middle.latitude)),
    longitude: Number(degrees(middle.longitude)),
    azimuth: Number(azimuthTo(middle, to).toFixed(2)),
    halfWidthKm,
    lengthKm: Number(distanceKm(from, to).toPrecision(4)),
  };
}

function sectionShape(line: SectionLine): Shape {
  const { azimuth, halfWidthKm, lengthKm } = line;
  const from = placeFrom(line, azimuth + 180, lengthKm / 2);
  return { kind: "section", from, to: placeFrom(line, azimuth, lengthKm / 2), halfWidthKm };
}

function degrees(value: number): string {
  return String(Number(value.toFixed(SHAPE_DIGITS)));
}
