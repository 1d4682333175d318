import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";

/** JSON that keeps negative zero, which JSON.stringify writes as 0. The value must be JSON. */
export function exactJson(value: unknown): string {
  return holdsNegativeZero(value) ? write(value) : JSON.stringify(value);
}

/** Searched for first: negative zeros are rare, and the native writer is several times faster. */
function holdsNegativeZero(value: unknown): boolean {
  if (typeof value === "number") return value === 0 && 1 / value < 0;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsNegativeZero);
  return Object.values(value).some(holdsNegativeZero);
}

function write(value: unknown): string {
  if (Object.is(value, -0)) return "-0";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${write(item)}`,
  );
  return `{${members.join(",")}}`;
}

/**
 * A value in the canonical form of JSON (RFC 8785, JSON Canonicalization Scheme): without blanks, members
 * sorted by the UTF-16 code units of their names, numbers as ECMAScript writes them.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] as JsonValue)}`);
  return `{${members.join(",")}}`;
}
