import type { Bounds } from "./bounds.ts";
import { numberOf } from "./work-state.ts";

/** Bounds of what is asked of agencies, as fields hold them. */
export const BOUNDS = [
  { field: "minMagnitude", label: "Magnitude from", least: undefined, most: undefined },
  { field: "maxMagnitude", label: "Magnitude to", least: undefined, most: undefined },
  { field: "minDepth", label: "Depth from", unit: "km", least: undefined, most: undefined },
  { field: "maxDepth", label: "Depth to", unit: "km", least: undefined, most: undefined },
  { field: "minLatitude", label: "Latitude from", unit: "°", least: -90, most: 90 },
  { field: "maxLatitude", label: "Latitude to", unit: "°", least: -90, most: 90 },
  { field: "minLongitude", label: "Longitude from", unit: "°", least: -180, most: 180 },
  { field: "maxLongitude", label: "Longitude to", unit: "°", least: -180, most: 180 },
] as const;

type Bound = (typeof BOUNDS)[number]["field"];

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

/** The area of the bounds; null unless all four are numbers. */
export function areaOf(bounds: TypedBounds): Bounds | null {
  const { minLatitude, maxLatitude, minLongitude, maxLongitude } = bounds;
  const [south, north] = [numberOf(minLatitude), numberOf(maxLatitude)];
  const [west, east] = [numberOf(minLongitude), numberOf(maxLongitude)];
  return [south, north, west, east].every(Number.isFinite) ? { south, north, west, east } : null;
}
