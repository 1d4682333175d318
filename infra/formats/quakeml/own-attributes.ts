import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";

/** Deeper JSON would overflow the stack of whoever writes it again; the API allows half of it. */
const MAX_JSON_DEPTH = 64;

const STRUCTURED: ReadonlySet<string> = new Set(STRUCTURED_NAMES);
const KNOWN: ReadonlySet<string> = new Set([...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES]);

/**
 * The attributes in the text of our own element, null when it is not what the writer writes. Anybody
 * may write such an element: only known names with values of their kind are taken, and like every row
 * they are validated when they are submitted.
 */
export function parseOwnAttributes(text: string): JsonObject | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value) || !isShallow(value, MAX_JSON_DEPTH)) return null;
  return Object.entries(value).every(([name, item]) => isAllowed(name, item)) ? value : null;
}

function isAllowed(name: string, value: JsonValue): boolean {
  if (!KNOWN.has(name)) return false;
  if (name === "extra") return isObject(value);
  if (STRUCTURED.has(name)) return Array.isArray(value) && value.every(isObject);
  return value === null || typeof value === "string" || typeof value === "number";
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isShallow(value: JsonValue, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}
