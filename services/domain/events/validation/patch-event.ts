import { Refusal } from "#contracts/errors.ts";
import { meaningOf, movePoint, normaliseName } from "#contracts/seismic-event/names.ts";
import {
  COLUMN_NAMES,
  type JsonObject,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { withToldConversion } from "../magnitudes.ts";
import { type FieldError, isPlainObject } from "./event-draft.ts";
import { validateEvent } from "./validate-event.ts";

/** Members that only the service sets: the id, and a merge's provenance. */
const FIXED = new Set(["id", "source_events"].map(normaliseName));

/**
 * A record with some attributes changed. Names are interpreted as in a submission, null clears an
 * optional attribute and marks a magnitude as unknown, `extra` replaces all foreign attributes, and
 * an unknown name changes one of them.
 * @throws Refusal VALIDATION_ERROR with all problems, when the event would become invalid
 */
export function patchEvent(
  before: SeismicEventRecord,
  patch: Readonly<Record<string, unknown>>,
  { nowMs }: { nowMs: number },
): SeismicEventRecord {
  const { source_events } = before;
  const errors: FieldError[] = [];
  // What is stored of an event, without what is told of it beside.
  const changed: Record<string, unknown> = Object.fromEntries(
    COLUMN_NAMES.filter((name) => name !== "source_events").map((name) => [name, before[name]]),
  );
  const named = new Set<string>();
  const further: [string, unknown][] = [];
  for (const [key, value] of Object.entries(patch)) {
    if (FIXED.has(normaliseName(key))) {
      errors.push({ field: key, message: "cannot be changed" });
      continue;
    }
    const meaning = meaningOf(key);
    if (meaning === null) {
      further.push([key, value]);
      continue;
    }
    const field = meaning.field === "date" ? "time" : meaning.field;
    if (named.has(field)) errors.push({ field, message: "is given twice" });
    else {
      named.add(field);
      changed[field] = meaning.places === undefined ? value : movePoint(value, meaning.places);
    }
  }
  changed["extra"] = withFurther(changed["extra"], further);
  const result = validateEvent(changed, { nowMs });
  if (!result.ok) errors.push(...result.errors);
  if (errors.length > 0 || !result.ok) {
    const sentence = errors.map(({ field, message }) => `${field} ${message}`).join("; ");
    throw new Refusal("VALIDATION_ERROR", sentence, { details: errors });
  }
  const record = { ...result.record, source_events };
  return named.has("extra") ? record : withToldConversion(before, record);
}

/** The members of a patch that are no attributes, and go to `extra`. */
export function foreignMembers(patch: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(patch).filter(
    (key) => !FIXED.has(normaliseName(key)) && meaningOf(key) === null,
  );
}

function withFurther(extra: unknown, further: readonly [string, unknown][]): unknown {
  if (further.length === 0 || (extra !== null && !isPlainObject(extra))) return extra;
  const members = new Map(Object.entries((extra ?? {}) as JsonObject));
  for (const [key, value] of further) {
    if (value === null) members.delete(key);
    else members.set(key, value as JsonObject);
  }
  return Object.fromEntries(members);
}
