import { isNumeric } from "#contracts/seismic-event/number-text.ts";
import { isWithoutNumber } from "../fixed-columns.ts";

/** The words of a line; a `#` at its beginning is one, also without a blank after it. */
export function wordsOf(text: string): readonly string[] {
  return text.replace("#", "# ").trim().split(/\s+/);
}

export function isNumber(word: string): boolean {
  return isNumeric(word) || isWithoutNumber(word);
}

/** True for year, month, day, hour, minute, second as whole numbers, the last with a fraction. */
export function isCalendar(words: readonly string[]): boolean {
  const limits = [
    [1000, 2999],
    [1, 12],
    [1, 31],
    [0, 24],
    [0, 60],
    [0, 61],
  ];
  return limits.every(([min = 0, max = 0], i) => {
    const word = words[i] ?? "";
    return (i < 5 ? /^\d+$/.test(word) : isNumeric(word)) && isWithin(word, min, max);
  });
}

export function isPosition([latitude = "", longitude = ""]: readonly string[]): boolean {
  return isWithin(latitude, -90, 90) && isWithin(longitude, -180, 360);
}

function isWithin(word: string, min: number, max: number): boolean {
  return isNumeric(word) && Number(word) >= min && Number(word) <= max;
}
