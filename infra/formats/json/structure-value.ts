import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { MAX_DEPTH } from "./nesting.ts";
import { parseElement } from "./parse-element.ts";
import type { RowRemarks } from "./row-remarks.ts";

/**
 * A structure as it is, or parsed from JSON text, which tables contain; other text is returned
 * unchanged.
 */
export function readStructure(field: string, value: JsonValue, notes: RowRemarks): JsonValue {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value) || isDeep(value)) return value;
  const parsed = parseElement(value);
  if (!parsed.ok) return value;
  for (const warning of parsed.warnings) notes.warn(`${field}: ${warning}`);
  return parsed.value as JsonValue;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts brackets inside strings too; text that is refused because of them stays text. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (const bracket of text) {
    if (bracket === "[" || bracket === "{") depth++;
    else if (bracket === "]" || bracket === "}") depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
