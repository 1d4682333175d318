import { type CatalogueMetadata, StoredMetadata } from "#contracts/catalogue-metadata.ts";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueName } from "./catalogue-name.ts";
import { existing } from "./decide.ts";
import { type CatalogueState, type ExistingCatalogue, FIRST_VERSION } from "./state.ts";

export type UpdateCatalogue = {
  readonly name?: string;
  readonly isPublic?: boolean;
  /** For a public catalogue: whether guests also see the versions before its publication. */
  readonly publishHistory?: boolean;
  /** Replaces all of it; null removes it. */
  readonly metadata?: CatalogueMetadata | null;
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
  return [...events, ...describeCatalogue(state, command.metadata)];
}

/** Equal metadata make no event, in whatever order their members stand. */
export function describeCatalogue(
  state: CatalogueState,
  metadata: CatalogueMetadata | null | undefined,
): CatalogueEvent[] {
  const { catalogueId, metadata: present } = existing(state);
  if (metadata === undefined || isSame(metadata, present)) return [];
  return [{ type: "MetadataChanged", data: { catalogueId, metadata } }];
}

function isSame(one: CatalogueMetadata | null, other: CatalogueMetadata | null): boolean {
  const written = (metadata: CatalogueMetadata | null) =>
    JSON.stringify(metadata && StoredMetadata.parse(metadata));
  return written(one) === written(other);
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
