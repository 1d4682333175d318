/** Types of magnitudes, and what a row tells of the conversion of its own. */

import { CONVERTED_FROM } from "#contracts/seismic-event/public-ids.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

/** Families of magnitude types, best first (`contracts/seismic-event/README.md`, Magnitudes). */
const HIERARCHY = [
  "Mww",
  "Mwc",
  "Mwb",
  "Mwr",
  "Mw",
  "Ms",
  "mB",
  "mb",
  "ML",
  "Md",
  "other",
] as const;

export type MagnitudeFamily = (typeof HIERARCHY)[number];

/**
 * The first matching pattern names the family; case only matters between mB and mb. Variants belong
 * to their family: Mwp and Mw(mB) to Mw, Ms_20 to Ms, MLv to ML, Mc to Md. mbLg is a regional
 * magnitude of its own, not an mb.
 */
const PATTERNS: readonly (readonly [RegExp, MagnitudeFamily])[] = [
  [/^mww/i, "Mww"],
  [/^mwc/i, "Mwc"],
  [/^mwb/i, "Mwb"],
  [/^mwr/i, "Mwr"],
  [/^mw/i, "Mw"],
  [/^ms/i, "Ms"],
  [/^mb_?lg/i, "other"],
  [/^[mM]B/, "mB"],
  [/^[mM]b/, "mb"],
  [/^ml/i, "ML"],
  [/^m[dc]/i, "Md"],
];

export function magnitudeFamily(type: string | null): MagnitudeFamily {
  if (type === null) return "other";
  return PATTERNS.find(([pattern]) => pattern.test(type))?.[1] ?? "other";
}

/** Place in the hierarchy; 0 is the best. */
export function magnitudeRank(type: string | null): number {
  return HIERARCHY.indexOf(magnitudeFamily(type));
}

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

const OF_CONVERSION = ["magnitude", "magnitude_type", "magnitude_uncertainty"] as const;

/**
 * A changed row whose `extra` tells of the conversion of its magnitude while that stays as it was converted, and no
 * longer where it is another.
 */
export function withToldConversion(
  before: SeismicEventRecord,
  after: SeismicEventRecord,
): SeismicEventRecord {
  const from = before.extra?.[CONVERTED_FROM];
  if (from === undefined) return after;
  const { [CONVERTED_FROM]: given, ...others } = after.extra ?? {};
  if (OF_CONVERSION.every((name) => before[name] === after[name])) {
    return given === undefined ? { ...after, extra: { ...others, [CONVERTED_FROM]: from } } : after;
  }
  if (given === undefined || JSON.stringify(given) !== JSON.stringify(from)) return after;
  return { ...after, extra: Object.keys(others).length > 0 ? others : null };
}
