import type { InputOf } from "../../model/operation-types.ts";

export type ImportBody = InputOf<"POST /api/import/agency">["body"];

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

export type Bound = (typeof BOUNDS)[number]["field"];

/** What the form holds, as it was typed. */
export type ImportForm = {
  readonly window: "hours" | "dates";
  readonly hours: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly bounds: Readonly<Partial<Record<Bound, string>>>;
  readonly into: "new" | "existing";
  readonly catalogueName: string;
  readonly catalogueId: string;
  readonly updateExisting: boolean;
  readonly detail: "full" | "summary";
};

export const NEW_FORM: ImportForm = {
  window: "hours",
  hours: "24",
  startDate: "",
  endDate: "",
  bounds: {},
  into: "new",
  catalogueName: "",
  catalogueId: "",
  updateExisting: true,
  detail: "full",
};

/** The request of a form: what is left empty is left to the service. */
export function importBodyOf(form: ImportForm): ImportBody {
  const bounds = Object.entries(form.bounds)
    .filter(([, typed]) => typed.trim() !== "")
    .map(([field, typed]) => [field, Number(typed)]);
  return {
    ...windowOf(form),
    ...Object.fromEntries(bounds),
    ...targetOf(form),
    updateExisting: form.updateExisting,
    detail: form.detail,
  };
}

function windowOf({ window, hours, startDate, endDate }: ImportForm): Partial<ImportBody> {
  if (window === "hours") return { hours: Number(hours) };
  return {
    startDate: isoOf(startDate),
    ...(endDate.trim() !== "" && { endDate: isoOf(endDate) }),
  };
}

function targetOf({ into, catalogueId, catalogueName }: ImportForm): Partial<ImportBody> {
  if (into === "existing") return { catalogueId };
  return catalogueName.trim() === "" ? {} : { catalogueName: catalogueName.trim() };
}

/** A time in UTC as people write it, "2024-01-31 12:00", as ISO 8601. */
function isoOf(typed: string): string {
  return typed.trim().replace(/\s+/, "T");
}

type Area = {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
};

/** The bounds with those of an area in degrees; around the world there are none of longitude. */
export function withArea(bounds: ImportForm["bounds"], area: Area): ImportForm["bounds"] {
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
export function areaOf(bounds: ImportForm["bounds"]): Area | null {
  const { minLatitude, maxLatitude, minLongitude, maxLongitude } = bounds;
  const [south, north, west, east] = [minLatitude, maxLatitude, minLongitude, maxLongitude].map(
    (typed = "") => (typed.trim() === "" ? Number.NaN : Number(typed)),
  ) as [number, number, number, number];
  if (![south, north, west, east].every(Number.isFinite)) return null;
  return { south, north, west, east };
}
