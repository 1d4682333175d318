const NUMBER = /^(-?\d*)(?:\.(\d+))?(?:e([+-]?\d+))?$/;
/**
 * Of the last digit: a half, and a twentieth more for results that seem to have been rounded twice, such as
 * 96.795 for 96.79447.
 */
const TOLERANCE = 0.55;

/** Whether a value is the expected text, or the expected number within the tolerance of its last digit. */
export function agrees(expected: string, got: unknown): boolean {
  if (typeof got !== "number") return String(got) === expected;
  const [, , decimals = "", exponent = "0"] = NUMBER.exec(expected) ?? [];
  const lastDigit = 10 ** (Number(exponent) - decimals.length);
  return Math.abs(got - Number(expected)) <= TOLERANCE * lastDigit * (1 + 1e-9);
}

/** A number with two digits more than are expected, to see by how much it is off. */
export function shown(expected: string, got: unknown): string {
  if (typeof got !== "number") return got === undefined ? "missing" : JSON.stringify(got);
  const [, whole = "", decimals = "", exponent] = NUMBER.exec(expected) ?? [];
  if (exponent !== undefined) return got.toExponential(decimals.length + 2);
  return Number.isInteger(got) || whole === "" ? String(got) : got.toFixed(decimals.length + 2);
}
