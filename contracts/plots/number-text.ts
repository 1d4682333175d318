/** Numbers as people read them on plots and beside them. */

export const MINUS = "−";
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** From here up, and below the other, numbers are told by a power of ten. */
const LARGE = 1e6;
const SMALL = 1e-4;

/** 17,397; −0.25. @param digits after the decimal point, at most */
export function numberText(value: number, digits = 3): string {
  return value.toLocaleString("en", { maximumFractionDigits: digits }).replace("-", MINUS);
}

/** A number of at most so many significant digits: 0.0342, 94, 5.4 · 10¹⁷. */
export function significant(value: number, digits = 4): string {
  if (value !== 0 && (Math.abs(value) >= LARGE || Math.abs(value) < SMALL)) {
    const [factor = "", exponent] = value.toExponential(digits - 1).split("e");
    const power = powerOfTen(Number(exponent));
    return Number(factor) === 1 ? power : `${numberText(Number(factor), digits)} · ${power}`;
  }
  return value.toLocaleString("en", { maximumSignificantDigits: digits }).replace("-", MINUS);
}

/** 10⁻². */
export function powerOfTen(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)]);
  return `10${exponent < 0 ? "⁻" : ""}${digits.join("")}`;
}

/** A value as far as its standard error, of two significant digits, lets it be known: 0.924 and 0.043. */
export function roundedBy(sigma: number, value: number): string {
  // 0.0996 is 0.10: the digits are counted after rounding.
  const rounded = Number(sigma.toPrecision(2));
  const decimals = Math.max(0, 1 - Math.floor(Math.log10(rounded)));
  const step = 10 ** Math.max(0, Math.floor(Math.log10(rounded)) - 1);
  const text = (Math.round(value / step) * step).toFixed(0);
  return (decimals > 0 ? value.toFixed(Math.min(decimals, 20)) : text).replace("-", MINUS);
}

/** A value with its standard error, which has two significant digits: 0.939 ± 0.012. */
export function withError(value: number, sigma: number | null | undefined): string {
  if (!sigma || !(sigma > 0)) return significant(value, 3);
  return `${roundedBy(sigma, value)} ± ${roundedBy(sigma, sigma)}`;
}
