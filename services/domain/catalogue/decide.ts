/** Decisions about a catalogue: pure functions from state and command to events or a refusal. */
import type {
  CatalogueEvent,
  CatalogueEventData,
  ImportFailure,
} from "#contracts/domain-events/catalogue-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { type ImportTally, NOTHING_IMPORTED } from "#contracts/import-run.ts";
import type { MergeConfig, MergedSource } from "#contracts/merge-config.ts";
import { catalogueName } from "./catalogue-name.ts";
import {
  type CatalogueState,
  type ExistingCatalogue,
  FIRST_VERSION,
  type OpenRevision,
} from "./state.ts";

export function createCatalogue(
  state: CatalogueState,
  command: CatalogueEventData<"CatalogueCreated">,
): CatalogueEvent[] {
  if (state.status !== "absent") throw new Refusal("CONFLICT", "This catalogue exists already");
  return [{ type: "CatalogueCreated", data: { ...command, name: catalogueName(command.name) } }];
}

export type MergeOrigin = {
  readonly config: MergeConfig;
  readonly sources: readonly MergedSource[];
};

/** Records the merge that makes a new catalogue's first revision, so that it can be repeated. */
export function recordMerge(
  state: CatalogueState,
  { config, sources }: MergeOrigin,
): CatalogueEvent[] {
  const { catalogueId, lastRevision } = existing(state);
  if (lastRevision > 0) throw new Refusal("CONFLICT", "Only a new catalogue can be merged");
  return [{ type: "CatalogueMerged", data: { catalogueId, config, sources: [...sources] } }];
}

export type UpdateCatalogue = {
  readonly name?: string;
  readonly isPublic?: boolean;
  /** For a public catalogue: whether guests also see the versions before its publication. */
  readonly publishHistory?: boolean;
};

/** Unchanged members make no events. */
export function updateCatalogue(state: CatalogueState, command: UpdateCatalogue): CatalogueEvent[] {
  const catalogue = existing(state);
  const { catalogueId, name } = catalogue;
  const events: CatalogueEvent[] = [];
  const newName = command.name === undefined ? name : catalogueName(command.name);
  if (newName !== name) {
    events.push({ type: "CatalogueRenamed", data: { catalogueId, name: newName } });
  }
  const publicFrom = publicFromOf(catalogue, command);
  if (publicFrom !== catalogue.publicFrom) {
    const isPublic = publicFrom !== null;
    events.push({ type: "VisibilityChanged", data: { catalogueId, isPublic, publicFrom } });
  }
  return events;
}

/**
 * The first version that guests may read: the latest one at the publication, or the very first. For
 * a catalogue that is public already it stays the same, unless the history is published.
 */
function publicFromOf(
  { publicFrom, version }: ExistingCatalogue,
  { isPublic, publishHistory = false }: UpdateCatalogue,
): number | null {
  if (isPublic === undefined) return publicFrom;
  if (!isPublic) return null;
  if (publishHistory) return FIRST_VERSION;
  return publicFrom ?? Math.max(version, FIRST_VERSION);
}

/** The open revision is the catalogue's write lock: there is at most one. */
export function openRevision(
  state: CatalogueState,
  command: Pick<CatalogueEventData<"RevisionOpened">, "cause" | "worker">,
): CatalogueEvent[] {
  const { catalogueId, lastRevision, open } = existing(state);
  if (open) throw new Refusal("CONFLICT", "Another change of this catalogue is in progress");
  return [
    { type: "RevisionOpened", data: { catalogueId, revision: lastRevision + 1, ...command } },
  ];
}

export type CommitRevision = Omit<
  CatalogueEventData<"RevisionCommitted">,
  "catalogueId" | "cause" | "eventCount"
>;

export function commitRevision(state: CatalogueState, command: CommitRevision): CatalogueEvent[] {
  const catalogue = existing(state);
  const { cause } = openRevisionOf(catalogue, command.revision);
  const { catalogueId, eventCount } = catalogue;
  return [
    {
      type: "RevisionCommitted",
      data: {
        catalogueId,
        cause,
        ...command,
        eventCount: eventCount + command.added - command.removed,
      },
    },
  ];
}

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

/** Deletion needs no lock: an open revision can no longer be committed after it. */
export function deleteCatalogue(state: CatalogueState): CatalogueEvent[] {
  const { catalogueId } = existing(state);
  return [{ type: "CatalogueDeleted", data: { catalogueId } }];
}

export function existing(state: CatalogueState): ExistingCatalogue {
  if (state.status !== "existing") throw new Refusal("NOT_FOUND", "Catalogue not found");
  return state;
}

/** @throws Refusal UNAVAILABLE */
export function openRevisionOf(catalogue: ExistingCatalogue, revision: number): OpenRevision {
  if (catalogue.open?.revision !== revision) throw givenUp(revision);
  return catalogue.open;
}

function givenUp(revision: number): Refusal {
  return new Refusal("UNAVAILABLE", `Revision ${revision} is not open any more; try again`);
}
