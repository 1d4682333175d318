import type { Report } from "./validation-result.ts";

/** PostgreSQL's text cannot hold NUL, UTF-8 no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

export function isBlank(text: string): boolean {
  return text.length === 0 || (text.charCodeAt(0) <= 32 && text.trim() === "");
}

/**
 * Text as given; blank text becomes null. Identifiers that a file reader took for numbers become
 * text again. A number beyond 2⁵³ is refused: it has lost digits, and two ids may have become equal.
 */
export function readText(
  field: string,
  maxLength: number,
  value: unknown,
  report: Report,
): string | null {
  if (typeof value === "number") return textOfNumber(field, value, report);
  if (typeof value !== "string") return report(field, "must be a text");
  if (isBlank(value)) return null;
  if (value.length > maxLength) {
    return report(field, `must not be longer than ${maxLength} characters`);
  }
  return isStorable(value) ? value : report(field, "holds characters that cannot be stored");
}

function textOfNumber(field: string, value: number, report: Report): string | null {
  if (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  return report(field, "is a number too large to be exact; give it as text");
}

/** The values of an enumeration by their lower-case form, for `readEnumeration`. */
export function enumerationOf(values: readonly string[]): ReadonlyMap<string, string> {
  return new Map(values.map((value) => [value.toLowerCase(), value]));
}

/** The standard's spelling of a value; case is ignored and underscores count as spaces. */
export function readEnumeration(
  field: string,
  values: ReadonlyMap<string, string>,
  value: unknown,
  report: Report,
): string | null {
  if (typeof value !== "string") return report(field, "must be a text");
  const exact = values.get(value);
  if (exact !== undefined) return exact;
  const text = value.trim().replaceAll("_", " ");
  if (text === "") return null;
  return values.get(text.toLowerCase()) ?? report(field, "is none of the values known for it");
}
