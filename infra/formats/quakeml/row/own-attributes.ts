import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import type { RowDraft } from "./row-draft.ts";

/** Limit of nesting, twice the API's: deeper JSON could overflow the stack when serialised. */
const MAX_JSON_DEPTH = 64;

const STRUCTURED: ReadonlySet<string> = new Set(STRUCTURED_NAMES);
const KNOWN: ReadonlySet<string> = new Set([...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES]);

/**
 * Values in our own element replace those read from QuakeML, which could not express them.
 * @param text of the element
 */
export function withOwnAttributes(
  { row, extra, warn }: RowDraft,
  text: string | undefined,
): JsonObject {
  if (extra !== null) row["extra"] = extra;
  if (text === undefined) return row;
  const own = parseOwnAttributes(text);
  if (own === null) {
    warn("the event's own attributes are not what this service writes; left out");
    return row;
  }
  Object.assign(row, own);
  if (extra !== null) row["extra"] = { ...extra, ...(own["extra"] as JsonObject | undefined) };
  return row;
}

/**
 * The attributes in our own element; null when our writer cannot have written it. Anybody may write
 * such an element, so only known names with values of the right kind are taken, and like every row
 * they are validated on submission.
 */
function parseOwnAttributes(text: string): JsonObject | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value) || !isShallow(value, MAX_JSON_DEPTH)) return null;
  return Object.entries(value).every(([name, item]) => isAllowed(name, item)) ? value : null;
}

function isAllowed(name: string, value: JsonValue): boolean {
  if (!KNOWN.has(name)) return false;
  if (name === "extra") return isJsonObject(value);
  if (STRUCTURED.has(name)) return Array.isArray(value) && value.every(isJsonObject);
  return value === null || typeof value === "string" || typeof value === "number";
}

function isShallow(value: JsonValue, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}
