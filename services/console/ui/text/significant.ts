import { MINUS } from "./format.ts";

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** From here up, and below the other, numbers are told by a power of ten. */
const LARGE = 1e6;
const SMALL = 1e-4;

/** 10⁻². */
export function powerOfTen(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)]);
  return `10${exponent < 0 ? "⁻" : ""}${digits.join("")}`;
}

/** A number of at most so many significant digits: 0.0342, 94, 5.4 · 10¹⁷. */
export function significant(value: number, digits = 4): string {
  if (value !== 0 && (Math.abs(value) >= LARGE || Math.abs(value) < SMALL)) {
    const [factor = "", exponent] = value.toExponential(digits - 1).split("e");
    const power = powerOfTen(Number(exponent));
    return Number(factor) === 1 ? power : `${grouped(Number(factor), digits)} · ${power}`;
  }
  return grouped(value, digits);
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

/** A value with its standard error: "0.924 ± 0.043", as the service's own plots have it. */
export function withError(value: number, sigma: number | null | undefined): string {
  if (!sigma || !(sigma > 0)) return significant(value);
  return `${roundedBy(sigma, value)} ± ${roundedBy(sigma, sigma)}`;
}

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [365.25 * 86_400, "years"],
  [86_400, "days"],
  [3_600, "hours"],
  [60, "minutes"],
];

/** Seconds in the largest unit of which there is one: "1.92 days". */
export function duration(seconds: number): string {
  const [length, name] = UNITS.find(([least]) => seconds >= least) ?? [1, "seconds"];
  return `${significant(seconds / length, 3)} ${name}`;
}

function grouped(value: number, digits: number): string {
  const text = value.toLocaleString("en", { maximumSignificantDigits: digits });
  return text.replace("-", MINUS);
}
