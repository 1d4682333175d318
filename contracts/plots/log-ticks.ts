import { numberText, powerOfTen } from "./number-text.ts";

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
