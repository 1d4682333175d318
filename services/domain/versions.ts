import type { Derivation } from "#contracts/analytics/declustering.ts";
import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";
import type {
  Bounds,
  CatalogueEvent,
  CatalogueEventData,
  RevisionCause,
} from "#contracts/events/catalogues.ts";
import type { MergedSource } from "#contracts/merges/config.ts";
import { FIRST_VERSION } from "./catalogues/catalogue.ts";

/** A committed revision as its decision stream tells of it. */
export type VersionEntry = {
  readonly version: number;
  /** The number of the version before; null for the first. */
  readonly previous: number | null;
  /** When the log stored the commit; ISO 8601 UTC, milliseconds. */
  readonly committedAt: string;
  /** A user id, or `system`. */
  readonly actor: string;
  readonly cause: RevisionCause;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly eventCount: number;
  readonly bounds: Bounds;
  readonly contentHash: string;
  readonly chunks: number;
  /** The catalogue's name at the commit. */
  readonly catalogueName: string;
  /** The sources of the merge that made it; null for another cause. */
  readonly sources: readonly MergedSource[] | null;
  /** The result of declustering that it was made of; null for other versions. */
  readonly derivedFrom: Derivation | null;
  /** The import that made it; null for another cause. */
  readonly importRun: ImportRun | null;
  /** The version that it repeats, whole or for one event; null where it repeats none. */
  readonly restores: number | null;
  /** Why, in the words of the actor; null where nothing was said. */
  readonly reason: string | null;
};

/** The run of an import, and whom it asked. */
export type ImportRun = { readonly importId: string; readonly agency: string };

/** A catalogue's versions in order, and what is known of the catalogue even after its deletion. */
export type VersionHistory = {
  readonly name: string;
  /** The first version that guests may read, or could when it was deleted; null while private. */
  readonly publicFrom: number | null;
  /** Whether it is there for members only, or was when it was deleted. */
  readonly isRestricted: boolean;
  readonly isDeleted: boolean;
  /** What it is cited by now, or was when it was deleted. */
  readonly metadata: CatalogueMetadata | null;
  readonly versions: readonly VersionEntry[];
};

type Catalogue = Omit<VersionHistory, "versions">;

export type RecordedCatalogueEvent = {
  readonly event: CatalogueEvent;
  readonly recordedAt: string;
  readonly actor: string;
};

export type VersionHistoryBuilder = ReturnType<typeof createVersionHistoryBuilder>;

/** Builds the history of a catalogue's versions from its decision stream. */
export function createVersionHistoryBuilder() {
  const versions: VersionEntry[] = [];
  let catalogue: Catalogue | null = null;
  let opened: CatalogueEventData<"RevisionOpened"> | null = null;
  let importRun: ImportRun | null = null;
  let sources: readonly MergedSource[] | null = null;
  let derivedFrom: Derivation | null = null;

  function commit(
    { recordedAt, actor }: RecordedCatalogueEvent,
    { revision, catalogueId: _id, ...committed }: CatalogueEventData<"RevisionCommitted">,
  ): void {
    const { cause } = committed;
    versions.push({
      ...committed,
      version: revision,
      previous: versions.at(-1)?.version ?? null,
      committedAt: recordedAt,
      actor,
      catalogueName: catalogue?.name ?? "",
      sources: cause === "merge" ? sources : null,
      importRun: cause === "import" ? importRun : null,
      restores: opened?.restores ?? null,
      reason: opened?.reason ?? null,
      derivedFrom: cause === "created" ? derivedFrom : null,
    });
  }

  return {
    /** The next event of the decision stream. */
    take(recorded: RecordedCatalogueEvent): void {
      const { event } = recorded;
      catalogue = catalogueAfter(catalogue, event);
      if (catalogue === null) return;
      if (event.type === "CatalogueCreated") derivedFrom = event.data.derivedFrom ?? null;
      if (event.type === "CatalogueMerged" || event.type === "MergeRefreshed") {
        ({ sources } = event.data);
      }
      if (event.type === "RevisionOpened") opened = event.data;
      if (event.type === "ImportStarted") {
        const { importId, agency } = event.data;
        importRun = { importId, agency };
      }
      if (event.type === "RevisionCommitted") commit(recorded, event.data);
    },
    /** The history so far; null before the catalogue's creation. Later versions are added to its list. */
    history: (): VersionHistory | null => catalogue && { ...catalogue, versions },
  };
}

function catalogueAfter(before: Catalogue | null, event: CatalogueEvent): Catalogue | null {
  if (event.type === "CatalogueCreated") {
    const { name, isPublic, isRestricted = false } = event.data;
    const publicFrom = isPublic ? FIRST_VERSION : null;
    return { name, publicFrom, isRestricted, isDeleted: false, metadata: null };
  }
  if (before === null) return null;
  if (event.type === "CatalogueRenamed") return { ...before, name: event.data.name };
  if (event.type === "VisibilityChanged") {
    const { publicFrom, isRestricted = false } = event.data;
    return { ...before, publicFrom, isRestricted };
  }
  if (event.type === "MetadataChanged") return { ...before, metadata: event.data.metadata };
  if (event.type === "CatalogueDeleted") return { ...before, isDeleted: true };
  return before;
}

/** A version of the history; undefined where there is none of that number. */
export function versionOf({ versions }: VersionHistory, version: number): VersionEntry | undefined {
  const entry = versions[firstAfter(versions, version - 1)];
  return entry?.version === version ? entry : undefined;
}

/** The index of the first version after a number; the length of the list where there is none. */
export function firstAfter(versions: readonly VersionEntry[], version: number): number {
  let low = 0;
  let high = versions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((versions[middle]?.version ?? 0) > version) high = middle;
    else low = middle + 1;
  }
  return low;
}
