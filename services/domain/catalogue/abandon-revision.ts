import type { CatalogueEvent, ImportFailure } from "#contracts/domain-events/catalogue-events.ts";
import { type ImportTally, NOTHING_IMPORTED } from "#contracts/import-run.ts";
import { existing, givenUp, openRevisionOf } from "./decide.ts";
import type { CatalogueState, ExistingCatalogue } from "./state.ts";

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

/** Whether the catalogue has nothing but the open revision. */
function goesWithItsRevision({ version, open }: ExistingCatalogue): boolean {
  return version === 0 && (open?.cause === "created" || open?.cause === "merge");
}

/**
 * Checks that the revision opened with `opened` still exists: its process may have been considered
 * dead.
 * @throws Refusal UNAVAILABLE: the catalogue went with the revision
 */
export function requireNotGivenUp(opened: ExistingCatalogue, present: CatalogueState): void {
  if (present.status === "deleted" && goesWithItsRevision(opened)) {
    throw givenUp(opened.lastRevision);
  }
}
