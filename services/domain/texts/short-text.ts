import { Refusal } from "#contracts/errors.ts";
import { isShownLine, NOT_SHOWN } from "#contracts/text.ts";

/**
 * A short text that people give, by the name of its member in a body: one visible line of up to `max` Unicode
 * code points.
 * @throws Refusal VALIDATION_ERROR
 */
export function requireShortText(member: string, text: string, max: number): void {
  if (!isShownLine(text)) throw new Refusal("VALIDATION_ERROR", `${member}: ${NOT_SHOWN}`);
  if ([...text].length > max) {
    throw new Refusal("VALIDATION_ERROR", `${member}: must be at most ${max} characters`);
  }
}

/**
 * A name in stored form: trimmed, not empty, a short text.
 * @throws Refusal MISSING_NAME, VALIDATION_ERROR
 */
export function shortName(text: string, max: number): string {
  const name = text.trim();
  if (name === "") throw new Refusal("MISSING_NAME");
  requireShortText("name", name, max);
  return name;
}
