import { meaningOf, normaliseName } from "#contracts/seismic-event/input-names.ts";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { isPlainObject } from "../seismic-event/structure.ts";
import { createEventValidator } from "../seismic-event/validate-event.ts";
import type { FieldError } from "../seismic-event/validation-result.ts";

/** What a row of the agency is to an import. */
export type ImportedRow =
  | { readonly outcome: "event"; readonly sourceId: string; readonly record: SeismicEventRecord }
  | { readonly outcome: "excluded" | "rejected"; readonly sourceId: string }
  | { readonly outcome: "error"; readonly sourceId: string | null; readonly message: string };

/** Without one of these there is no event; of the others the event can do without. */
const INDISPENSABLE = new Set(["event", "time", "latitude", "longitude", "source_id", "extra"]);
/** Contract §5: events that are none. */
const EXCLUDED_TYPES = new Set(["not existing", "duplicate"]);

/**
 * Reads rows as the format readers give them. What is out of its range is unknown, and kept in `extra`
 * by the name that the agency gives it.
 */
export function createImportedReader(nowMs: number): (row: JsonObject) => ImportedRow {
  const validate = createEventValidator({ nowMs });
  return (row) => {
    const first = validate(row);
    const relieved = first.ok ? null : withoutFaults(row, first.errors);
    const result = relieved === null ? first : validate(relieved);
    if (!result.ok) return error(result.id ?? null, sentenceOf(result.errors));
    const { record } = result;
    const { source_id: sourceId } = record;
    if (sourceId === null)
      return error(null, "the event has no id by which it could be found again");
    if (typesOf(record).some((type) => EXCLUDED_TYPES.has(type))) {
      return { outcome: "excluded", sourceId };
    }
    if (record.evaluation_status === "rejected") return { outcome: "rejected", sourceId };
    return { outcome: "event", sourceId, record };
  };
}

function error(sourceId: string | null, message: string): ImportedRow {
  return { outcome: "error", sourceId, message };
}

function sentenceOf(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `${field} ${message}`).join("; ");
}

/** The row with its faulty attributes unknown and kept in `extra`; null where one is indispensable. */
function withoutFaults(row: JsonObject, errors: readonly FieldError[]): JsonObject | null {
  const faulty = new Set(errors.map(({ field }) => field));
  if (errors.some(({ field }) => INDISPENSABLE.has(field))) return null;
  const { extra: given = null, ...members } = row;
  if (given !== null && !isPlainObject(given)) return null;
  const extra: JsonObject = { ...(given as JsonObject | null) };
  const relieved: JsonObject = {};
  for (const [key, value] of Object.entries(members)) {
    const field = meaningOf(key)?.field;
    const isFaulty = field !== undefined && faulty.has(field);
    relieved[key] = isFaulty ? null : value;
    if (isFaulty && !Object.hasOwn(extra, key)) extra[key] = value;
  }
  return { ...relieved, extra };
}

/** The event's type, and the one that the agency has given where QuakeML has no such word. */
function typesOf({ event_type, extra }: SeismicEventRecord): string[] {
  const given = Object.entries(extra ?? {}).flatMap(([key, value]) =>
    normaliseName(key) === "eventtype" && typeof value === "string" ? [value] : [],
  );
  return [event_type ?? "", ...given].map((type) => type.trim().replaceAll("_", " ").toLowerCase());
}
