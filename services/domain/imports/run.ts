/** Decisions about imports into a catalogue: a run begins and ends with the revision it writes. */

import { Refusal } from "#contracts/errors.ts";
import type { CatalogueEvent, CatalogueEventData } from "#contracts/events/catalogues.ts";
import type { ImportTally, ImportWindow } from "#contracts/events/imports.ts";
import { compareTimes } from "#contracts/seismic-event/time.ts";
import { HOUR_MS } from "#contracts/units.ts";
import {
  type CatalogueState,
  type CommitRevision,
  commitRevision,
  existing,
  openRevision,
  openRevisionOf,
} from "../catalogues/catalogue.ts";

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

export type CompleteImport = { readonly commit: CommitRevision; readonly tally: ImportTally };

/** Commits the import's revision; without any change there is no version. */
export function completeImport(
  state: CatalogueState,
  { commit, tally }: CompleteImport,
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
