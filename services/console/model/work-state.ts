import { FILTER_NAMES, FILTERS, type FilterName } from "#contracts/query/filters.ts";
import type { Bounds, MapView } from "./bounds.ts";

/** What a work page shows, as its address has it: filters by the API's own names, and how they are seen. */

export const SORT_COLUMNS = ["time", "magnitude", "depth", "latitude", "longitude"] as const;
export type SortColumn = (typeof SORT_COLUMNS)[number];

/** What stands beside the map; the plots are called as the analytics page calls them. */
export const PANEL_TABS = ["table", "magnitudes", "time", "section", "quality"] as const;
export type PanelTab = (typeof PANEL_TABS)[number];

/** A line on the map along which depths are drawn, on a great circle. */
export type SectionLine = {
  /** Its middle, degrees. */
  readonly latitude: number;
  readonly longitude: number;
  /** Degrees from north over east, in the middle. */
  readonly azimuth: number;
  /** Events up to so far on each side of it. */
  readonly halfWidthKm: number;
  readonly lengthKm: number;
};

/** Its parts in an address, named as those of a profile of the analytics page. */
const LINE_PARAMETERS = {
  latitude: "throughLatitude",
  longitude: "throughLongitude",
  azimuth: "azimuth",
  halfWidthKm: "halfWidth",
  lengthKm: "length",
} as const;
const LINE_PARTS = Object.keys(LINE_PARAMETERS) as (keyof SectionLine)[];

export const COLOUR_BY = ["depth", "age", "magnitude", "quality"] as const;

export type WorkState = {
  readonly filters: FilterValues;
  /** A version's number or a time; null for the latest version. */
  readonly asOf: string | null;
  /** Only what the map shows. */
  readonly inMap: boolean;
  readonly map: MapView | null;
  /** What the depth section goes along; null: longitude or latitude. */
  readonly line: SectionLine | null;
  readonly event: string | null;
  readonly colour: (typeof COLOUR_BY)[number];
  /** Null: whichever tells more. */
  readonly scale: "global" | "local" | null;
  readonly sort: SortColumn;
  readonly order: "asc" | "desc";
  readonly tab: PanelTab;
};

const SCALES = ["global", "local"] as const;

/** Reads an address; what it does not name or names wrongly is as if nothing had been chosen. */
export function workStateOf(search: string): WorkState {
  const query = new URLSearchParams(search);
  const filters: Partial<Record<FilterName, string>> = {};
  for (const name of FILTER_NAMES) {
    const value = query.get(name);
    if (value) filters[name] = value;
  }
  return {
    filters,
    asOf: query.get("asOf") || null,
    inMap: query.get("inMap") === "1",
    map: placeOf(query.get("map")),
    line: query.get("along") === "profile" ? lineOf(query) : null,
    event: query.get("event") || null,
    colour: oneOf(COLOUR_BY, query.get("colour")) ?? "depth",
    scale: oneOf(SCALES, query.get("scale")) ?? null,
    sort: oneOf(SORT_COLUMNS, query.get("sort")) ?? "time",
    order: query.get("order") === "asc" ? "asc" : "desc",
    tab: oneOf(PANEL_TABS, query.get("tab")) ?? "table",
  };
}

/** The address's query, with a question mark; empty where nothing was chosen. */
export function searchOf(state: WorkState): string {
  const query = new URLSearchParams();
  for (const name of FILTER_NAMES) {
    const value = state.filters[name];
    if (value) query.set(name, value);
  }
  if (state.asOf) query.set("asOf", state.asOf);
  if (state.inMap) query.set("inMap", "1");
  if (state.map)
    query.set("map", [state.map.zoom, state.map.latitude, state.map.longitude].join("/"));
  if (state.line) {
    query.set("along", "profile");
    for (const part of LINE_PARTS) query.set(LINE_PARAMETERS[part], String(state.line[part]));
  }
  if (state.event) query.set("event", state.event);
  if (state.colour !== "depth") query.set("colour", state.colour);
  if (state.scale) query.set("scale", state.scale);
  if (state.sort !== "time") query.set("sort", state.sort);
  if (state.order !== "desc") query.set("order", state.order);
  if (state.tab !== "table") query.set("tab", state.tab);
  // Slashes and colons mean nothing here and are read more easily.
  const text = query
    .toString()
    .replaceAll("%2F", "/")
    .replaceAll("%3A", ":")
    .replaceAll("%2C", ",");
  return text ? `?${text}` : "";
}

/** The part of an address that the API takes: filters and version. */
export function apiQueryOf({ filters, asOf }: WorkState): Readonly<Record<string, string>> {
  return { ...filters, ...(asOf && { asOf }) };
}

export function filterCount({ filters }: WorkState): number {
  return Object.keys(filters).length;
}

function placeOf(text: string | null): WorkState["map"] {
  const parts = text?.split("/") ?? [];
  const [zoom = Number.NaN, latitude = Number.NaN, longitude = Number.NaN] = parts.map(numberOf);
  const isPlace = parts.length === 3 && zoom >= 0 && zoom <= 20 && isOnGlobe(latitude, longitude);
  return isPlace ? { zoom, latitude, longitude } : null;
}

/** The box of four sides that were typed; null unless all are numbers. */
export function boxOfSides(typed: FilterValues): Bounds | null {
  const { minLatitude, maxLatitude, minLongitude, maxLongitude } = typed;
  const [south, north] = [numberOf(minLatitude), numberOf(maxLatitude)];
  const [west, east] = [numberOf(minLongitude), numberOf(maxLongitude)];
  return [south, north, west, east].every(Number.isFinite) ? { south, north, west, east } : null;
}

function isOnGlobe(latitude: number, longitude: number): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}

/** Null where a part of it is missing or is no number. */
function lineOf(query: URLSearchParams): SectionLine | null {
  const [latitude = 0, longitude = 0, azimuth = 0, halfWidthKm = 0, lengthKm = 0] = LINE_PARTS.map(
    (part) => numberOf(query.get(LINE_PARAMETERS[part]) ?? ""),
  );
  const isLong = halfWidthKm > 0 && lengthKm > 0;
  const isLine = isOnGlobe(latitude, longitude) && Math.abs(azimuth) <= 360 && isLong;
  return isLine ? { latitude, longitude, azimuth, halfWidthKm, lengthKm } : null;
}

/** What was typed as a number; NaN where that is nothing, or none. */
export function numberOf(text = ""): number {
  return text.trim() === "" ? Number.NaN : Number(text);
}

function oneOf<T extends string>(values: readonly T[], text: string | null): T | undefined {
  return values.find((value) => value === text);
}

/** Filters by the API's names, as typed; empty ones are left out. */
export type FilterValues = Readonly<Partial<Record<FilterName, string>>>;

/**
 * Those that the browser cannot apply by itself. It could tell polygons, but has places in single precision: of these none
 * lies exactly on an edge that slants.
 */
export const SERVICE_FILTERS = FILTERS.flatMap((filter) =>
  "isInConsole" in filter ? [] : (Object.keys(filter.parameters) as FilterName[]),
);
