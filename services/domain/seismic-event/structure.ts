import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { isStorable } from "./text.ts";

/** Limits of each structured attribute: size of its JSON in UTF-8 bytes, and nesting. */
export const MAX_STRUCTURE_BYTES = 64 * 1024;
export const MAX_STRUCTURE_DEPTH = 32;

/** The longest number in JSON, `-1.2345678901234567e-300`, and a comma. */
const NUMBER_BYTES = 25;
/** A UTF-16 unit is at most `\u0000` in JSON. */
const BYTES_PER_UNIT = 6;

/** A plain object, as in JSON: not a list or an instance of a class. */
export function isPlainObject(value: unknown): value is JsonObject {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Why a structure cannot be stored unchanged, or null. `__proto__` is refused as a name, because
 * copying such a member would set a prototype.
 */
export function structureFault(value: object): string | null {
  const walked = walk(value, 1);
  if (typeof walked === "string") return walked;
  if (walked <= MAX_STRUCTURE_BYTES) return null;
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return bytes <= MAX_STRUCTURE_BYTES
    ? null
    : `must not be larger than ${MAX_STRUCTURE_BYTES} bytes of JSON`;
}

/**
 * The first problem, or an upper bound of the bytes: an exact count would serialise the JSON every
 * time.
 */
function walk(value: unknown, depth: number): string | number {
  if (typeof value === "string") return walkText(value);
  if (typeof value === "number") {
    return Number.isFinite(value) ? NUMBER_BYTES : "holds a number that is not finite";
  }
  if (value === null || typeof value === "boolean") return BYTES_PER_UNIT;
  if (!Array.isArray(value) && !isPlainObject(value)) return "holds something other than JSON";
  if (depth > MAX_STRUCTURE_DEPTH) {
    return `must not be nested deeper than ${MAX_STRUCTURE_DEPTH} levels`;
  }
  return Array.isArray(value) ? walkList(value, depth) : walkObject(value, depth);
}

function walkText(text: string): string | number {
  if (!isStorable(text)) return "holds characters that cannot be stored";
  return text.length * BYTES_PER_UNIT + 3;
}

function walkList(list: readonly unknown[], depth: number): string | number {
  let bytes = 3;
  for (const item of list) {
    const walked = walk(item, depth + 1);
    if (typeof walked === "string") return walked;
    bytes += walked;
  }
  return bytes;
}

function walkObject(object: object, depth: number): string | number {
  let bytes = 3;
  for (const [key, item] of Object.entries(object)) {
    if (key === "__proto__") return "must not hold the name __proto__";
    const name = walkText(key);
    if (typeof name === "string") return name;
    const walked = walk(item, depth + 1);
    if (typeof walked === "string") return walked;
    bytes += name + walked + 1;
  }
  return bytes;
}
