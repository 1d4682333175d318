import { significant } from "#contracts/plots/numbers.ts";
import type { Along } from "../../plots/depth-section.ts";

/** The parameters of a profile in the page's address; none of them has a name of the API's filters. */
export const PROFILE_FIELDS = [
  { name: "throughLatitude", label: "Through latitude", unit: "°", most: 90 },
  { name: "throughLongitude", label: "and longitude", unit: "°", most: 180 },
  { name: "azimuth", label: "Azimuth", unit: "° from north", most: 360 },
  { name: "halfWidth", label: "Half-width", unit: "km", most: 20_000 },
] as const;

export type ProfileField = (typeof PROFILE_FIELDS)[number]["name"];

/** Where a profile begins that nobody has described: from west to east, with some width. */
const USUAL = { azimuth: 90, halfWidth: 50 } as const;

type Centre = { readonly latitude: number; readonly longitude: number };

/** What an address asks for; a profile goes through the events' middle unless it names a point. */
export function alongOf(query: URLSearchParams, centre: Centre): Along {
  const along = query.get("along");
  if (along === "latitude") return "latitude";
  if (along !== "profile") return "longitude";
  const numberOf = (name: ProfileField, usual: number): number => {
    const text = query.get(name);
    const value = text === null || text.trim() === "" ? Number.NaN : Number(text);
    const most = PROFILE_FIELDS.find((field) => field.name === name)?.most ?? 0;
    const isKnown = Math.abs(value) <= most && (name !== "halfWidth" || value > 0);
    return isKnown ? value : usual;
  };
  return {
    latitude: numberOf("throughLatitude", centre.latitude),
    longitude: numberOf("throughLongitude", centre.longitude),
    azimuth: numberOf("azimuth", USUAL.azimuth),
    halfWidthKm: numberOf("halfWidth", USUAL.halfWidth),
  };
}

/** The value that a field of a profile has. */
export function profileValue(along: Along, name: ProfileField): string {
  if (typeof along !== "object") return "";
  const { latitude, longitude, azimuth, halfWidthKm } = along;
  const values = {
    throughLatitude: latitude,
    throughLongitude: longitude,
    azimuth,
    halfWidth: halfWidthKm,
  };
  return String(Number(values[name].toFixed(4)));
}

/** The sentence of what is drawn. */
export function methodOf(along: Along): string {
  if (typeof along !== "object") return `Depth by ${along}, all events of the filters`;
  const { latitude, longitude, azimuth, halfWidthKm } = along;
  const through = `${significant(latitude)}°, ${significant(longitude)}°`;
  return `Depth by distance along the great circle through ${through} with azimuth ${significant(azimuth)}°, of events within ${significant(halfWidthKm)} km of it`;
}
