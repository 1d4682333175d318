import { isBetweenMeridians } from "#contracts/geometry/globe.ts";
import { type Area, boxOfArea, wktOf } from "#contracts/geometry/shape.ts";
import { type FilterName, wktArea } from "#contracts/query/filters.ts";
import type { Shape } from "../../../map/shapes.ts";
import type { Bounds } from "../../../model/bounds.ts";
import { asWritten, type EventColumns } from "../../../model/event-columns.ts";
import {
  azimuthTo,
  circleAround,
  distanceKm,
  placeFrom,
  wayBetween,
} from "../../../model/great-circle.ts";
import {
  boxOfSides,
  type FilterValues,
  numberOf,
  type SectionLine,
} from "../../../model/work-state.ts";

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
  const text = (value: number) => String(asWritten(value));
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
type DrawnRegion = {
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
  const box = boxOfSides(filters);
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

function circleOf(filters: FilterValues): Extract<Shape, { kind: "circle" }> | null {
  const middle = { latitude: numberOf(filters.latitude), longitude: numberOf(filters.longitude) };
  const km = numberOf(filters.maxRadiusKm);
  const isWhole = !Number.isNaN(middle.latitude + middle.longitude + km);
  return isWhole ? { kind: "circle", middle, km } : null;
}

/** Where the filters look: their box or the box around another shape of theirs; null where they look everywhere. */
export function areaOf(filters: FilterValues, region: DrawnRegion | null): Bounds | null {
  const box = boxOfSides(filters);
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

/**
 * Indexes of the events that pass the filters which need no more than what every event has; null
 * where all do. Limits are rounded as the values are, so that "2.1" finds what was stored as 2.1.
 */
export function passing(columns: EventColumns, filters: FilterValues): Uint32Array | null {
  const tests = testsOf(columns, filters);
  if (tests.length === 0) return null;
  const indexes = new Uint32Array(columns.count);
  let count = 0;
  for (let i = 0; i < columns.count; i++) {
    if (!tests.every((test) => test(i))) continue;
    indexes[count] = i;
    count++;
  }
  return indexes.subarray(0, count);
}

type Test = (i: number) => boolean;

function testsOf(columns: EventColumns, filters: FilterValues): Test[] {
  const { magnitude, depth, latitude, longitude, time } = columns;
  const tests: Test[] = [];
  const between = (
    values: ArrayLike<number>,
    limitOf: (text: string) => number,
    least: string | undefined,
    most: string | undefined,
  ) => {
    const low = least === undefined ? null : limitOf(least);
    const high = most === undefined ? null : limitOf(most);
    if (low !== null) tests.push((i) => (values[i] ?? Number.NaN) >= low);
    if (high !== null) tests.push((i) => (values[i] ?? Number.NaN) <= high);
  };
  const packed = (text: string) => Math.fround(Number(text));
  between(magnitude, packed, filters.minMagnitude, filters.maxMagnitude);
  between(depth, packed, filters.minDepth, filters.maxDepth);
  between(latitude, packed, filters.minLatitude, filters.maxLatitude);
  between(time, timeOf, filters.startTime, filters.endTime);
  const { minLongitude, maxLongitude } = filters;
  if (minLongitude !== undefined || maxLongitude !== undefined) {
    const [west, east] = [packed(minLongitude ?? "-180"), packed(maxLongitude ?? "180")];
    const at = (values: Float32Array, i: number) => values[i] ?? Number.NaN;
    tests.push((i) => isBetweenMeridians(west, east, at(latitude, i), at(longitude, i)));
  }
  return tests;
}

/** Milliseconds since 1970; a time without a zone is UTC, as the service reads it. */
export function timeOf(text: string): number {
  const [whole = "", fraction = ""] = text.split(/(?<=:\d\d)\.(?=\d)/);
  const hasZone = /Z|[+-]\d\d:?\d\d$/i.test(text.slice(10));
  const base = Date.parse(
    /T/i.test(whole) && !hasZone ? `${whole}Z` : fraction ? wholeOf(text) : text,
  );
  const digits = /^\d+/.exec(fraction)?.[0];
  return digits ? base + Number(`0.${digits}`) * 1_000 : base;
}

function wholeOf(text: string): string {
  return text.replace(/(:\d\d)\.\d+/, "$1");
}

/** Filters that a selection sets, by their names; empty ones are taken away. */
export type Selection = FilterValues;

/** The filters with those of a selection in their place. */
export function withSelection(filters: FilterValues, selection: Selection): FilterValues {
  const all = Object.entries({ ...filters, ...selection });
  return Object.fromEntries(all.filter(([, value]) => value !== ""));
}

export function withoutNames(filters: FilterValues, names: readonly FilterName[]): FilterValues {
  const left = Object.entries(filters).filter(([name]) => !names.includes(name as FilterName));
  return Object.fromEntries(left);
}

/** Digits of a degree in addresses, about ten metres. */
const DIGITS = 4;

/** The filters with the box that the map shows, as the API takes them too. */
export function withinMap(filters: FilterValues, map: Bounds | null): FilterValues {
  if (map === null) return filters;
  const south = Math.max(outward(map.south, Math.floor), Number(filters.minLatitude ?? -90));
  const north = Math.min(outward(map.north, Math.ceil), Number(filters.maxLatitude ?? 90));
  const [west, east] = commonLongitudes(
    [Number(filters.minLongitude ?? -180), Number(filters.maxLongitude ?? 180)],
    [outward(map.west, Math.floor), outward(map.east, Math.ceil)],
  );
  return {
    ...filters,
    minLatitude: String(Math.min(south, north)),
    maxLatitude: String(north),
    minLongitude: String(west),
    maxLongitude: String(east),
  };
}

type Stretch = readonly [west: number, east: number];

/**
 * The longitudes that two stretches have in common, each possibly over the date line. Of two common
 * pieces, at both ends of the second, the first stretch stands for both; without any it is one meridian.
 */
function commonLongitudes(one: Stretch, other: Stretch): Stretch {
  const within = (longitude: number, [west, east]: Stretch) =>
    isBetweenMeridians(west, east, 0, longitude);
  if (isWhole(other)) return one;
  if (isWhole(one)) return other;
  const startsInOther = within(one[0], other);
  const endsInOther = within(one[1], other);
  if (startsInOther && endsInOther) return one;
  if (startsInOther) return [one[0], other[1]];
  if (endsInOther) return [other[0], one[1]];
  return within(other[0], one) ? other : [other[0], other[0]];
}

function isWhole([west, east]: Stretch): boolean {
  return west <= -180 && east >= 180;
}

function outward(degrees: number, round: (value: number) => number): number {
  return Number((round(degrees * 10 ** DIGITS) / 10 ** DIGITS).toFixed(DIGITS));
}
