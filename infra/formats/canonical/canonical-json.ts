import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";

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
