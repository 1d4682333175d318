/** Decisions about a catalogue: pure functions from state and command to events or a refusal. */
import type { CatalogueAccess } from "#contracts/catalogue-rights.ts";
import type {
  CatalogueEvent,
  CatalogueEventData,
} from "#contracts/domain-events/catalogue-events.ts";
import { Refusal, RetryLater } from "#contracts/errors.ts";
import type { MergeConfig, MergedSource } from "#contracts/merge/merge-config.ts";
import { catalogueName } from "./catalogue-name.ts";
import type { CatalogueState, ExistingCatalogue, OpenRevision } from "./state.ts";

export function createCatalogue(
  state: CatalogueState,
  command: CatalogueEventData<"CatalogueCreated">,
): CatalogueEvent[] {
  if (state.status !== "absent") throw new Refusal("CONFLICT", "This catalogue exists already");
  return [{ type: "CatalogueCreated", data: { ...command, name: catalogueName(command.name) } }];
}

/** Who may read a new catalogue, as its event tells it. */
export function publicity(
  access: CatalogueAccess,
): Pick<CatalogueEventData<"CatalogueCreated">, "isPublic" | "isRestricted"> {
  return {
    isPublic: access === "public",
    ...(access === "restricted" && { isRestricted: true }),
  };
}

export type MergeOrigin = {
  readonly config: MergeConfig;
  readonly sources: readonly MergedSource[];
  /** Merged events that stand for more than one. */
  readonly duplicateGroups: number;
  /** Of the rules that grouped the events. */
  readonly rules: number;
};

/** Records the merge that makes a new catalogue's first revision, so that it can be repeated. */
export function recordMerge(
  state: CatalogueState,
  { config, sources, duplicateGroups, rules }: MergeOrigin,
): CatalogueEvent[] {
  const { catalogueId, lastRevision } = existing(state);
  if (lastRevision > 0) throw new Refusal("CONFLICT", "Only a new catalogue can be merged");
  const data = { catalogueId, config, sources: [...sources], duplicateGroups, rules };
  return [{ type: "CatalogueMerged", data }];
}

export function otherChange(): RetryLater {
  return new RetryLater("CONFLICT", "Another change of this catalogue is in progress");
}

/** The open revision is the catalogue's write lock: there is at most one. */
export function openRevision(
  state: CatalogueState,
  command: Pick<CatalogueEventData<"RevisionOpened">, "cause" | "worker" | "restores" | "reason">,
): CatalogueEvent[] {
  const { catalogueId, lastRevision, open } = existing(state);
  if (open) throw otherChange();
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

/** Whether the catalogue has nothing but the open revision. */
export function goesWithItsRevision({ version, open }: ExistingCatalogue): boolean {
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
