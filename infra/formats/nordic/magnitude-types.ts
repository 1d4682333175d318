/** SEISAN's letters of magnitudes, in which upper and lower case differ. */
const TYPES = new Map([
  ["L", "ML"],
  ["l", "Ml"],
  ["b", "mb"],
  ["B", "mB"],
  ["s", "Ms"],
  ["S", "MS"],
  ["W", "Mw"],
  ["w", "Mw"],
  ["C", "Mc"],
  ["G", "mbLg"],
  ["N", "MN"],
  ["n", "Mn"],
]);

/** The type that a letter stands for, the letter itself where it is not known; undefined for a blank. */
export function magnitudeTypeOf(letter: string): string | undefined {
  return letter === "" ? undefined : (TYPES.get(letter) ?? letter);
}
