import type { Bounds } from "./bounds.ts";

const NUMBER = { type: "number", step: "any" } as const;
const LATITUDE = { ...NUMBER, unit: "°", min: -90, max: 90 } as const;
const LONGITUDE = { ...NUMBER, unit: "°", min: -180, max: 180 } as const;

/** Bounds of what is asked of agencies, as fields hold them. */
export const BOUNDS = [
  { ...NUMBER, name: "minMagnitude", label: "Magnitude from" },
  { ...NUMBER, name: "maxMagnitude", label: "Magnitude to" },
  { ...NUMBER, name: "minDepth", label: "Depth from", unit: "km" },
  { ...NUMBER, name: "maxDepth", label: "Depth to", unit: "km" },
  { ...LATITUDE, name: "minLatitude", label: "Latitude from" },
  { ...LATITUDE, name: "maxLatitude", label: "Latitude to" },
  { ...LONGITUDE, name: "minLongitude", label: "Longitude from" },
  { ...LONGITUDE, name: "maxLongitude", label: "Longitude to" },
] as const;

type Bound = (typeof BOUNDS)[number]["name"];

/** What was typed; where there is nothing, there is no bound. */
export type TypedBounds = Readonly<Partial<Record<Bound, string>>>;

/** The bounds that there are, as the API takes them. */
export function numbersOf(bounds: TypedBounds): Partial<Record<Bound, number>> {
  const typed = Object.entries(bounds).filter(([, text]) => text.trim() !== "");
  return Object.fromEntries(typed.map(([field, text]) => [field, Number(text)]));
}

/** The bounds with those of an area in degrees; around the world there are none of longitude. */
export function withArea(bounds: TypedBounds, area: Bounds): TypedBounds {
  const { south, north, west, east } = area;
  const isAround = west === -180 && east === 180;
  return {
    ...bounds,
    minLatitude: south.toFixed(2),
    maxLatitude: north.toFixed(2),
    minLongitude: isAround ? "" : west.toFixed(2),
    maxLongitude: isAround ? "" : east.toFixed(2),
  };
}

/** How far a schedule's runs can reach back: ten years. */
export const LONGEST_HOURS = 87_600;

/** What an import has in common with a schedule that goes on with it, as fields hold it. */
export type CarriedSettings = {
  /** Its id; empty for the first one. */
  readonly agency: string;
  readonly lookbackHours: string;
  readonly bounds: TypedBounds;
  /** A saved region's id; empty for none. */
  readonly region: string;
  readonly detail: "full" | "summary";
  readonly updateExisting: boolean;
};

/** Where a new schedule of a catalogue is made, with these settings in its form. */
export function newScheduleAddress(catalogueId: string, carried: CarriedSettings): string {
  return `/catalogues/${catalogueId}/schedules/new?${carriedQuery(carried)}`;
}

export function carriedQuery({ bounds, updateExisting, ...rest }: CarriedSettings) {
  const given = Object.entries({
    ...rest,
    ...bounds,
    updateExisting: String(updateExisting),
  }).filter(([, text]) => text.trim() !== "");
  return new URLSearchParams(given);
}

/** The settings that an address has; where it lacks one, as usual. */
export function carriedIn(query: URLSearchParams): CarriedSettings {
  const bounds = BOUNDS.map(({ name }) => [name, query.get(name) ?? ""] as const);
  return {
    agency: query.get("agency") ?? "",
    lookbackHours: query.get("lookbackHours") ?? "24",
    bounds: Object.fromEntries(bounds),
    region: query.get("region") ?? "",
    detail: query.get("detail") === "summary" ? "summary" : "full",
    updateExisting: query.get("updateExisting") !== "false",
  };
}
