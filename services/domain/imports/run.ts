/** Decisions about imports into a catalogue: a run begins and ends with the revision it writes. */

import { Refusal } from "#contracts/errors.ts";
import type { CatalogueEvent, CatalogueEventData } from "#contracts/events/catalogues.ts";
import type { ImportTally, ImportWindow } from "#contracts/events/imports.ts";
import { normaliseName } from "#contracts/seismic-event/names.ts";
import { type EventIds, idsOf, MAX_PUBLIC_ID } from "#contracts/seismic-event/public-ids.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { compareTimes, parseTime } from "#contracts/seismic-event/time.ts";
import { HOUR_MS } from "#contracts/units.ts";
import {
  type CatalogueState,
  type CommitRevision,
  commitRevision,
  existing,
  openRevision,
  openRevisionOf,
} from "../catalogues/catalogue.ts";
import type { ValidatedEvent } from "../events/validation/event-draft.ts";
import { createRelievingValidator } from "../events/validation/validate-event.ts";

/** `worker` is the presence key of the process that runs the job. */
export type StartImport = Omit<CatalogueEventData<"ImportStarted">, "catalogueId" | "revision"> &
  Pick<CatalogueEventData<"RevisionOpened">, "worker">;

/** Opens the import's revision, so a catalogue has one import at a time. */
export function startImport(
  state: CatalogueState,
  { worker, ...run }: StartImport,
): CatalogueEvent[] {
  const { catalogueId, lastRevision } = existing(state);
  const revision = lastRevision + 1;
  return [
    ...openRevision(state, { cause: "import", worker }),
    { type: "ImportStarted", data: { catalogueId, revision, ...run } },
  ];
}

/** Commits the import's revision; without any change there is no version. */
export function completeImport(
  state: CatalogueState,
  { commit, tally }: { readonly commit: CommitRevision; readonly tally: ImportTally },
): CatalogueEvent[] {
  const catalogue = existing(state);
  const { catalogueId } = catalogue;
  const { importId } = openRevisionOf(catalogue, commit.revision);
  if (importId === null) throw new Refusal("CONFLICT", "The open revision is of no import");
  const { revision, added, updated, removed } = commit;
  const reason = "nothing changed";
  const end: CatalogueEvent[] =
    added + updated + removed > 0
      ? commitRevision(state, commit)
      : [{ type: "RevisionAbandoned", data: { catalogueId, revision, reason } }];
  return [...end, { type: "ImportCompleted", data: { catalogueId, importId, tally } }];
}

const DEFAULT_HOURS = 24;

export type WindowWanted = {
  readonly hours?: number | undefined;
  /** ISO 8601 UTC, canonical. */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
};

/**
 * The window of an import: from a start to an end, by default now; or the last hours, by default 24.
 * @throws Refusal VALIDATION_ERROR for a start in the future
 */
export function importWindow(
  { hours = DEFAULT_HOURS, startDate, endDate }: WindowWanted,
  now: Date,
): ImportWindow {
  const end = endDate ?? now.toISOString();
  if (startDate === undefined) {
    return { start: new Date(now.getTime() - hours * HOUR_MS).toISOString(), end };
  }
  if (compareTimes(startDate, end) > 0)
    throw new Refusal("VALIDATION_ERROR", "startDate: is in the future");
  return { start: startDate, end };
}

/** The role of an agency's row in an import. */
export type ImportedRow =
  | { readonly outcome: "event"; readonly ids: EventIds; readonly record: SeismicEventRecord }
  | { readonly outcome: "excluded" | "rejected"; readonly ids: EventIds }
  | { readonly outcome: "error"; readonly ids: EventIds; readonly message: string };

/** In `extra`: when the agency was found to have the event no more. */
export const WITHDRAWN_AT = "withdrawn_at";

/** Types that are no events: deleted ones, and duplicates. */
export const EXCLUDED_TYPES: ReadonlySet<string> = new Set(["not existing", "duplicate"]);

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
