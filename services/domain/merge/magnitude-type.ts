/** Magnitude types by family. Case matters for mB against mb alone (domain notes §3.4). */
export type MagnitudeFamily =
  | "Mww"
  | "Mwc"
  | "Mwb"
  | "Mwr"
  | "Mw"
  | "Ms"
  | "mB"
  | "mb"
  | "ML"
  | "Md"
  | "other";

/** Best first (contract §6, "average"). */
const HIERARCHY: readonly MagnitudeFamily[] = [
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
];

/**
 * The first pattern that fits names the family. Variants count as their family: Mwp and Mw(mB) as
 * Mw, Ms_20 as Ms, MLv as ML, Mc as Md. mbLg is a regional magnitude of its own, not an mb.
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

/** Place in the hierarchy, 0 the best. */
export function magnitudeRank(type: string | null): number {
  return HIERARCHY.indexOf(magnitudeFamily(type));
}
