/** Decisions about imports into a catalogue: a run begins and ends with the revision it writes. */
import type {
  CatalogueEvent,
  CatalogueEventData,
} from "#contracts/domain-events/catalogue-events.ts";
import { Refusal } from "#contracts/errors.ts";
import type { ImportTally } from "#contracts/import-run.ts";
import {
  type CommitRevision,
  commitRevision,
  existing,
  openRevision,
  openRevisionOf,
} from "./decide.ts";
import type { CatalogueState } from "./state.ts";

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
