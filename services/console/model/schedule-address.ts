import { BOUNDS, type TypedBounds } from "./typed-bounds.ts";

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
  const bounds = BOUNDS.map(({ field }) => [field, query.get(field) ?? ""] as const);
  return {
    agency: query.get("agency") ?? "",
    lookbackHours: query.get("lookbackHours") ?? "24",
    bounds: Object.fromEntries(bounds),
    region: query.get("region") ?? "",
    detail: query.get("detail") === "summary" ? "summary" : "full",
    updateExisting: query.get("updateExisting") !== "false",
  };
}
