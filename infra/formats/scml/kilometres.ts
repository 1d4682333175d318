import { shiftDecimal } from "../decimal-number.ts";

const METRES_TO_KILOMETRES = -3;
const KILOMETRES_TO_METRES = 3;

/** The members of a quantity that are of its value's unit. */
export const OF_THE_UNIT: ReadonlySet<string> = new Set([
  "value",
  "uncertainty",
  "lowerUncertainty",
  "upperUncertainty",
]);

/** Kilometres as text for a number of metres: exact, because the point is moved in the shortest text. */
export function kilometresOf(metres: unknown): string {
  return shifted(metres, METRES_TO_KILOMETRES);
}

export function metresOf(kilometres: unknown): number {
  return Number(shifted(kilometres, KILOMETRES_TO_METRES));
}

function shifted(number: unknown, places: number): string {
  const text = String(number);
  return shiftDecimal(text, places) ?? text;
}
