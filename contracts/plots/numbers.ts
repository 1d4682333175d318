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

/**
 * How many decimals an uncertainty supports, negative for tens: those of its first digit, and of one
 * more where that is 1 and the next is given. 0.2 → 1, 0.14 → 2, 0.1 → 1, 740 → −2.
 */
export function decimalsBy(sigma: number): number {
  // Written with two digits, 0.0996 is 0.10: the first digit is counted after rounding.
  const [digits = "", exponent = "0"] = sigma.toExponential(1).split("e");
  const decimals = (digits.startsWith("1") ? 1 : 0) - Number(exponent);
  return decimals > 0 ? Math.min(decimals, decimalsOf(sigma)) : decimals;
}

/** How many decimals a number is written with: 2 of 0.25. */
export function decimalsOf(value: number): number {
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  return (digits.split(".")[1]?.length ?? 0) - Number(exponent);
}

/** A value as far as its uncertainty lets it be known: 0.92 of 0.9236 with 0.043. */
export function roundedBy(sigma: number, value: number): string {
  const decimals = decimalsBy(sigma);
  const step = 10 ** Math.max(0, -decimals);
  const rounded = Math.round(value / step) * step;
  const text = decimals > 0 ? value.toFixed(Math.min(decimals, 20)) : rounded.toFixed(0);
  return text.replace("-", MINUS);
}

/** A value with its uncertainty: 0.92 ± 0.04, 0.939 ± 0.012. */
export function withError(value: number, sigma: number | null | undefined): string {
  if (!sigma || !(sigma > 0)) return significant(value, 3);
  return `${roundedBy(sigma, value)} ± ${roundedBy(sigma, sigma)}`;
}

/** A mark of an axis; between those with a text there are some without. */
export type LogTick = { readonly at: number; readonly text: string | null };

/** Numbers of digits beyond which they are told by powers of ten. */
const PLAIN = { least: 0.01, most: 10_000 } as const;
/** Of a limit, for the error of binary fractions. */
const TOLERANCE = 1e-9;

/**
 * Marks at the folds of powers of ten between two positive values. Powers have a text, and where there
 * are few of them their 2- and 5-folds too; where there are many, only some.
 */
export function logTicks(low: number, high: number): readonly LogTick[] {
  const decades = Math.log10(high / low);
  const named = decades > 2.2 ? [1] : decades > 1.2 ? [1, 3] : [1, 2, 5];
  const step = decades > 10 ? Math.ceil(decades / 8) : 1;
  const isPlain = high <= PLAIN.most && low >= PLAIN.least;
  const ticks: LogTick[] = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    for (let fold = 1; fold < 10; fold++) {
      const at = fold * 10 ** power;
      if (at < low * (1 - TOLERANCE) || at > high * (1 + TOLERANCE)) continue;
      const hasText = named.includes(fold) && power % step === 0;
      const text = isPlain ? numberText(at, 4) : multipleText(at);
      ticks.push({ at, text: hasText ? text : null });
    }
  }
  return ticks;
}

function multipleText(value: number): string {
  const exponent = Math.floor(Math.log10(value) + TOLERANCE);
  const fold = Math.round(value / 10 ** exponent);
  return fold === 1 ? powerOfTen(exponent) : `${fold} · ${powerOfTen(exponent)}`;
}
