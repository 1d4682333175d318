import { normaliseName } from "#contracts/seismic-event/names.ts";
import { type EventIds, idsOf, MAX_PUBLIC_ID } from "#contracts/seismic-event/public-ids.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { compareTimes, parseTime } from "#contracts/seismic-event/time.ts";
import type { ValidatedEvent } from "../events/validation/event-draft.ts";
import { createRelievingValidator } from "../events/validation/validate-event.ts";

/** The role of an agency's row in an import. */
export type ImportedRow =
  | { readonly outcome: "event"; readonly ids: EventIds; readonly record: SeismicEventRecord }
  | { readonly outcome: "excluded" | "rejected"; readonly ids: EventIds }
  | { readonly outcome: "error"; readonly ids: EventIds; readonly message: string };

/** Types that are no events: deleted ones, and duplicates. */
const EXCLUDED_TYPES = new Set(["not existing", "duplicate"]);

/**
 * Reads rows of the format readers. Values out of range become null and are kept in `extra` by the
 * agency's names.
 */
export function createImportedReader(nowMs: number): (row: JsonObject) => ImportedRow {
  const validate = createRelievingValidator(nowMs);
  return (row) => roleOf(validate(row), row["extra"]);
}

/** @param extra that of the row, where the ids of one that is not valid may stand */
export function roleOf(result: ValidatedEvent, extra: JsonValue | undefined): ImportedRow {
  if (!result.ok) {
    const ids = idsOf({ source_id: result.id, extra });
    const sentences = result.errors.map(({ field, message }) => `${field} ${message}`);
    return { outcome: "error", ids, message: sentences.join("; ") };
  }
  const { record } = result;
  const ids = idsOf(record);
  const fault = faultOfIds(record, ids);
  if (fault !== null) return { outcome: "error", ids, message: fault };
  if (typesOf(record).some((type) => EXCLUDED_TYPES.has(type))) {
    return { outcome: "excluded", ids };
  }
  if (record.evaluation_status === "rejected") return { outcome: "rejected", ids };
  return { outcome: "event", ids, record };
}

function faultOfIds({ extra }: SeismicEventRecord, ids: EventIds): string | null {
  const publicId = extra?.["public_id"];
  if (typeof publicId === "string" && publicId.length > MAX_PUBLIC_ID) {
    return `the event's public id is longer than ${MAX_PUBLIC_ID} characters`;
  }
  if (ids.sourceId !== null || ids.publicId !== null) return null;
  return "the event has no id by which it could be found again";
}

/** The event's type, and the agency's own word when QuakeML has none for it. */
function typesOf({ event_type, extra }: SeismicEventRecord): string[] {
  const words = Object.entries(extra ?? {}).flatMap(([key, value]) =>
    normaliseName(key) === "eventtype" && typeof value === "string" ? [value] : [],
  );
  return [event_type ?? "", ...words].map((type) => type.trim().replaceAll("_", " ").toLowerCase());
}

/** EMSC's member of a message that says when it last changed the event. */
export const LAST_UPDATE = "lastupdate";

/** When the agency last changed an event, as the `extra` of its message says: canonical; null where it does not. */
export function lastUpdate(extra: JsonValue | undefined): string | null {
  const value = isJsonObject(extra) ? extra[LAST_UPDATE] : null;
  return typeof value === "string" ? parseTime(value) : null;
}

/** Whether what is said of an event is older than something else; false where one of the times is not known. */
export function isOlder(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && compareTimes(one, other) < 0;
}
