import { Refusal } from "#contracts/errors.ts";
import { isShownText, NOT_SHOWN } from "#contracts/shown-text.ts";

const TEXT_MAX = 1_000;
const JUSTIFICATION_MIN = 10;

/**
 * A justification in stored form: trimmed, 10 to 1,000 Unicode code points, one line or more.
 * @throws Refusal VALIDATION_ERROR
 */
export function justification(given: string): string {
  return requestText("justification", given, JUSTIFICATION_MIN);
}

/**
 * An administrator's notes in stored form; null without any.
 * @throws Refusal VALIDATION_ERROR
 */
export function adminNotes(given: string | null | undefined): string | null {
  return requestText("adminNotes", given ?? "", 0) || null;
}

function requestText(field: string, given: string, min: number): string {
  const text = given.trim();
  if (!isShownText(text)) throw new Refusal("VALIDATION_ERROR", `${field}: ${NOT_SHOWN}`);
  const characters = [...text].length;
  if (characters < min) {
    throw new Refusal("VALIDATION_ERROR", `${field}: must be at least ${min} characters`);
  }
  if (characters > TEXT_MAX) {
    throw new Refusal("VALIDATION_ERROR", `${field}: must be at most ${TEXT_MAX} characters`);
  }
  return text;
}
