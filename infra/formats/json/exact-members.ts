import { isJsonObject, type JsonObject } from "#contracts/seismic-event/seismic-event.ts";

const INTEGER = /^-?\d+$/;

/**
 * The members of `value`, parsed from `text`, with numbers that exceed a double (identifiers beyond
 * 2⁵³, 1e999) as the original text: an event's own members and a Feature's properties.
 */
export function restoreNumbers(value: JsonObject, text: string): JsonObject {
  const properties = value["properties"];
  const inProperties = isJsonObject(properties) && holdsSuspect(properties);
  if (!inProperties && !holdsSuspect(value)) return value;
  const exact: unknown = JSON.parse(text, textOfChanged);
  if (!isJsonObject(exact)) return value;
  const restored = restore(value, exact);
  const exactProperties = exact["properties"];
  if (inProperties && isJsonObject(exactProperties)) {
    restored["properties"] = restore(properties, exactProperties);
  }
  return restored;
}

function holdsSuspect(members: JsonObject): boolean {
  for (const name in members) {
    const value = members[name];
    if (typeof value === "number" && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return true;
  }
  return false;
}

function restore(members: JsonObject, exact: JsonObject): JsonObject {
  const restored = { ...members };
  for (const [name, value] of Object.entries(members)) {
    const text = exact[name];
    if (typeof value === "number" && typeof text === "string") restored[name] = text;
  }
  return restored;
}

function textOfChanged(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined) return value;
  const isChanged =
    !Number.isFinite(value) || (!Number.isSafeInteger(value) && INTEGER.test(source));
  return isChanged ? source : value;
}
