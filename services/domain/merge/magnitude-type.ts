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
