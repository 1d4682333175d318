import { magnitudeFamily } from "../../merge/magnitude-type.ts";

/**
 * What magnitudes of one type are told apart by: the family of the type, the moment magnitudes
 * together, and types of no family by their name in any case; null for none.
 */
export function typeFamily(type: string | null): string | null {
  if (type === null) return null;
  const family = magnitudeFamily(type);
  if (family === "other") return type.toLowerCase();
  return family.startsWith("Mw") ? "Mw" : family;
}
