import { decimalNumber } from "../../decimal-number.ts";
import type { MemberPlan } from "./type-plans.ts";

/** Text without anything in it, which says nothing. */
export const BLANK = Symbol("blank");

const INTEGER = /^[+-]?\d{1,16}$/;

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** The value of a simple member by its text; undefined for one that QuakeML does not allow. */
export function leafValue(
  plan: MemberPlan,
  text: string,
): string | number | boolean | typeof BLANK | undefined {
  if (plan.kind === "text") return text.length <= plan.maxLength ? text : undefined;
  const value = simpleValue(plan, text);
  if (value !== undefined) return value;
  const trimmed = text.trim();
  if (trimmed === "") return BLANK;
  return trimmed === text ? undefined : simpleValue(plan, trimmed);
}

function simpleValue(plan: MemberPlan, text: string): string | number | boolean | undefined {
  switch (plan.kind) {
    case "real": {
      // Canonical JSON has no negative zero.
      const value = decimalNumber(text, 0) + 0;
      return Number.isFinite(value) ? value : undefined;
    }
    case "integer": {
      const value = INTEGER.test(text) ? Number(text) + 0 : Number.NaN;
      return Number.isSafeInteger(value) ? value : undefined;
    }
    case "enumeration":
      return plan.values?.get(text);
    case "boolean":
      return FLAGS.get(text);
    default:
      return isTrimmed(text) ? text : undefined;
  }
}

/** Nearly all ids and times begin and end in ASCII. */
function isTrimmed(text: string): boolean {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  if (first > 0x20 && first < 0x7f && last > 0x20 && last < 0x7f) return true;
  return text !== "" && text.trim() === text;
}

/** Numbers like −1.0, 99.90 and −999000, which may stand for "not known". */
const MAY_BE_UNKNOWN = /^\s*-?(?:1|9+)0*(?:\.[09]*)?\s*$/;
const MINUS = 0x2d;
const NINE = 0x39;

/** True for a number that may stand for "not known" and that JSON spells in another way. */
export function isSpelledUnknown(text: string, value: number): boolean {
  const first = text.charCodeAt(0);
  if (first !== MINUS && first !== NINE) return false;
  return MAY_BE_UNKNOWN.test(text) && String(value) !== text;
}

/** Digits that tell any double from others. */
const MANY_DIGITS = 16;

/** True for a number with more digits than JSON has of it. */
export function isSpelledLong(text: string, value: number): boolean {
  return text.length > MANY_DIGITS && String(value) !== text;
}
