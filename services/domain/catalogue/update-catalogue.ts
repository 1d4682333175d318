import { type CatalogueMetadata, StoredMetadata } from "#contracts/catalogue-metadata.ts";
import type { CatalogueAccess, Editing } from "#contracts/catalogue-rights.ts";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { catalogueName } from "./catalogue-name.ts";
import { existing } from "./decide.ts";
import { type CatalogueState, type ExistingCatalogue, FIRST_VERSION } from "./state.ts";

export type UpdateCatalogue = {
  readonly name?: string;
  /** The same in part: false leaves a restricted catalogue restricted. */
  readonly isPublic?: boolean;
  readonly access?: CatalogueAccess;
  readonly editing?: Editing;
  /** Whether the actor may say who reads and changes it; absent for no. */
  readonly isByOwner?: boolean;
  /** For a public catalogue: whether guests also see the versions before its publication. */
  readonly publishHistory?: boolean;
  /** Replaces all of it; null removes it. */
  readonly metadata?: CatalogueMetadata | null;
};

/** Unchanged members make no events. @throws Refusal NOT_FOUND, FORBIDDEN, MISSING_NAME, NAME_TOO_LONG */
export function updateCatalogue(state: CatalogueState, command: UpdateCatalogue): CatalogueEvent[] {
  const catalogue = existing(state);
  const { catalogueId, name } = catalogue;
  const events: CatalogueEvent[] = [];
  const newName = command.name === undefined ? name : catalogueName(command.name);
  if (newName !== name) {
    events.push({ type: "CatalogueRenamed", data: { catalogueId, name: newName } });
  }
  events.push(...visibilityOf(catalogue, command), ...editingOf(catalogue, command));
  return [...events, ...describeCatalogue(state, command.metadata)];
}

/** Publishing and its end are everybody's who may change the catalogue; restricting and its end are not. */
function visibilityOf(catalogue: ExistingCatalogue, command: UpdateCatalogue): CatalogueEvent[] {
  const { catalogueId, isRestricted: wasRestricted } = catalogue;
  const access = accessOf(command);
  const isAsBefore = access === undefined || access === "private";
  const isRestricted = isAsBefore ? wasRestricted : access === "restricted";
  const publicFrom = publicFromOf(catalogue, command);
  if (publicFrom === catalogue.publicFrom && isRestricted === wasRestricted) return [];
  if (isRestricted !== wasRestricted) requireOwner(command);
  const data = { catalogueId, isPublic: publicFrom !== null, publicFrom };
  const restricted = isRestricted && { isRestricted };
  return [{ type: "VisibilityChanged", data: { ...data, ...restricted } }];
}

/** `private`: restricted where it is, else internal. */
function accessOf({ access, isPublic }: UpdateCatalogue): CatalogueAccess | "private" | undefined {
  if (access !== undefined || isPublic === undefined) return access;
  return isPublic ? "public" : "private";
}

function editingOf(catalogue: ExistingCatalogue, command: UpdateCatalogue): CatalogueEvent[] {
  const { catalogueId, editing: before } = catalogue;
  const { editing = before } = command;
  if (editing === before) return [];
  requireOwner(command);
  return [{ type: "EditingChanged", data: { catalogueId, editing } }];
}

function requireOwner({ isByOwner }: UpdateCatalogue): void {
  if (isByOwner) return;
  const message = "Only owners and administrators say who is a catalogue's reader and editor";
  throw new Refusal("FORBIDDEN", message);
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
  command: UpdateCatalogue,
): number | null {
  const access = accessOf(command);
  const { publishHistory = false } = command;
  if (access === undefined) return publicFrom;
  if (access !== "public") return null;
  if (publishHistory) return FIRST_VERSION;
  return publicFrom ?? Math.max(version, FIRST_VERSION);
}
