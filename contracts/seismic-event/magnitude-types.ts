/** M and a letter for the kind of wave or method, then a variant: Mwc, MLv, mbLg, Ms_20, Mw(mB). */
const TYPE = /^m(?:[wsbldcehnj](?:[a-z]{1,2}|_?lg|_?20|_?bb|\((?:mb|bb)\)|nz20)?)?$/i;

/** Names of columns that hold magnitudes of one type, best first, with the type's usual spelling. */
const COLUMN_NAMES: readonly (readonly [string, string])[] = [
  ["mw", "Mw"],
  ["mww", "Mww"],
  ["mwc", "Mwc"],
  ["mwb", "Mwb"],
  ["mwr", "Mwr"],
  ["mwp", "Mwp"],
  ["ms", "Ms"],
  ["mb", "mb"],
  ["ml", "ML"],
  ["mlv", "MLv"],
  ["mblg", "mbLg"],
  ["md", "Md"],
  // New Zealand's local magnitude (Rhoades et al., 2021).
  ["mlnz20", "MLNZ20"],
];

/** True for a text that is a magnitude's type, not any other word. */
export function isMagnitudeType(text: string): boolean {
  return TYPE.test(text.trim());
}

/** The type of the magnitudes in a column named for it; a bare `M` says none. */
export function magnitudeTypeOfName(name: string): { name: string; rank: number } | null {
  const bare = name.trim().replaceAll("_", "");
  const at = COLUMN_NAMES.findIndex(([key]) => key === bare.toLowerCase());
  if (at < 0) return null;
  // The case tells broad-band mB from short-period mb.
  const type = bare.startsWith("mB") ? bare : (COLUMN_NAMES[at]?.[1] ?? bare);
  return { name: type, rank: at / COLUMN_NAMES.length };
}
