import type { CatalogueEvent, ImportFailure } from "#contracts/domain-events/catalogue-events.ts";
import { type ImportTally, NOTHING_IMPORTED } from "#contracts/import-run.ts";
import { existing, goesWithItsRevision, openRevisionOf } from "./decide.ts";
import type { CatalogueState } from "./state.ts";

/** Why an import's revision was given up: its own end tells more. */
export const IMPORT_FAILED = "its import failed";

export type AbandonRevision = {
  readonly revision: number;
  readonly reason: string;
  /** For an import's revision: its progress, and why it failed if more than the reason is known. */
  readonly tally?: ImportTally;
  readonly failure?: ImportFailure;
};

/**
 * A new catalogue whose only revision is abandoned goes with it, since no client knows its id. After
 * an agency import it stays, to show the failed run; the run ends with its revision, whoever
 * abandons it.
 */
export function abandonRevision(
  state: CatalogueState,
  { revision, reason, tally = NOTHING_IMPORTED, failure }: AbandonRevision,
): CatalogueEvent[] {
  const catalogue = existing(state);
  const { importId } = openRevisionOf(catalogue, revision);
  const { catalogueId } = catalogue;
  const events: CatalogueEvent[] = [
    { type: "RevisionAbandoned", data: { catalogueId, revision, reason } },
  ];
  if (importId !== null) {
    const why = failure ?? { code: null, message: `The import was cut off: ${reason}` };
    events.push({ type: "ImportFailed", data: { catalogueId, importId, tally, failure: why } });
  }
  if (goesWithItsRevision(catalogue)) {
    events.push({ type: "CatalogueDeleted", data: { catalogueId } });
  }
  return events;
}
