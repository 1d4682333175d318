import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueName } from "./catalogue-name.ts";
import { existing } from "./decide.ts";
import { type CatalogueState, type ExistingCatalogue, FIRST_VERSION } from "./state.ts";

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
