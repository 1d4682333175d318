const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A number as people read it: 17,397; −0.25. @param digits after the decimal point, at most */
export function numberText(value: number, digits = 3): string {
  return value.toLocaleString("en", { maximumFractionDigits: digits }).replace("-", "−");
}

/** A number of at most so many significant digits: 0.0342, 94, 5.4 · 10¹⁷. */
export function significant(value: number, digits = 3): string {
  if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4)) {
    const exponent = Math.floor(Math.log10(Math.abs(value)));
    return `${numberText(value / 10 ** exponent, digits - 1)} · ${powerOfTen(exponent)}`;
  }
  return value.toLocaleString("en", { maximumSignificantDigits: digits }).replace("-", "−");
}

/** 10⁻². */
export function powerOfTen(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)]);
  return `10${exponent < 0 ? "⁻" : ""}${digits.join("")}`;
}

/** A value with its standard error, which has two significant digits: 0.939 ± 0.012. */
export function withError(value: number, sigma: number | null): string {
  if (sigma === null || !(sigma > 0)) return significant(value);
  const digits = Math.max(0, 1 - Math.floor(Math.log10(sigma)));
  const fixed = (x: number) => x.toFixed(Math.min(digits, 20)).replace("-", "−");
  return `${fixed(value)} ± ${fixed(sigma)}`;
}

/** The day of a time as ISO 8601. */
export function dayText(time: string): string {
  return time.slice(0, 10);
}
