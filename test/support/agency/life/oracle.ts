import type { ImportFilters } from "#contracts/events/imports.ts";
import type { ServedEvent } from "../served-catalogue.ts";
import type { Life } from "./life.ts";

/** Bounds of time in milliseconds, inclusive, and filters as an import has them. */
export type OracleWindow = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly filters?: Partial<ImportFilters>;
};

/** The events that an agency has at a moment within a window and its filters, by preferred id. */
export function expectedAt(
  life: Life,
  atMs: number,
  window: OracleWindow,
): ReadonlyMap<string, ServedEvent> {
  const all = [...life.eventsAt(atMs)];
  return new Map(all.filter(([, event]) => isInside(event, window)));
}

/** Whether an event lies in the window and satisfies its filters; an unknown value satisfies none. */
export function isInside(
  { row }: ServedEvent,
  { fromMs, toMs, filters = {} }: OracleWindow,
): boolean {
  const timeMs = Date.parse(String(row["time"]));
  if (timeMs < fromMs || timeMs > toMs) return false;
  const { minLongitude, maxLongitude } = filters;
  return (
    between(row["magnitude"], filters.minMagnitude, filters.maxMagnitude) &&
    between(row["depth"], filters.minDepth, filters.maxDepth) &&
    between(row["latitude"], filters.minLatitude, filters.maxLatitude) &&
    around(Number(row["longitude"]), minLongitude ?? null, maxLongitude ?? null)
  );
}

function between(value: unknown, min?: number | null, max?: number | null): boolean {
  if ((min ?? null) === null && (max ?? null) === null) return true;
  return (
    typeof value === "number" &&
    value >= (min ?? Number.NEGATIVE_INFINITY) &&
    value <= (max ?? Number.POSITIVE_INFINITY)
  );
}

/** A west above east crosses the antimeridian. */
function around(longitude: number, west: number | null, east: number | null): boolean {
  const [low, high] = [west ?? -180, east ?? 180];
  if (low <= high) return longitude >= low && longitude <= high;
  return longitude >= low || longitude <= high;
}
