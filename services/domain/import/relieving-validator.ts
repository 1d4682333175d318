import { meaningOf } from "#contracts/seismic-event/input-names.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { isPlainObject } from "../seismic-event/structure.ts";
import { createEventValidator } from "../seismic-event/validate-event.ts";
import type { FieldError, ValidatedEvent } from "../seismic-event/validation-result.ts";

/** Required for an event; other invalid attributes are dropped. */
const INDISPENSABLE = new Set(["event", "time", "latitude", "longitude", "source_id", "extra"]);

/**
 * A validator of rows of the format readers that takes an event in spite of attributes out of range:
 * they become null and are kept in `extra` by the agency's names.
 */
export function createRelievingValidator(nowMs: number): (row: JsonObject) => ValidatedEvent {
  const validate = createEventValidator({ nowMs });
  return (row) => {
    const first = validate(row);
    const relieved = first.ok ? null : withoutFaults(row, first.errors);
    return relieved === null ? first : validate(relieved);
  };
}

/** The row with its invalid attributes moved to `extra`; null when a required one is invalid. */
function withoutFaults(row: JsonObject, errors: readonly FieldError[]): JsonObject | null {
  const faulty = new Set(errors.map(({ field }) => field));
  if (errors.some(({ field }) => INDISPENSABLE.has(field))) return null;
  const { extra: foreign = null, ...members } = row;
  if (foreign !== null && !isPlainObject(foreign)) return null;
  const extra: JsonObject = { ...(foreign as JsonObject | null) };
  const relieved: JsonObject = {};
  for (const [key, value] of Object.entries(members)) {
    const field = meaningOf(key)?.field;
    const isFaulty = field !== undefined && faulty.has(field);
    relieved[key] = isFaulty ? null : value;
    if (isFaulty && !Object.hasOwn(extra, key)) extra[key] = value;
  }
  return { ...relieved, extra };
}
