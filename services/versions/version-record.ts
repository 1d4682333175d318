import { Refusal } from "#contracts/errors.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import {
  GUEST,
  hiddenAmong,
  NO_CATALOGUE,
  type Reader,
  SERVICE,
} from "#projections/read/rights.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import { type VersionEntry, type VersionHistory, versionOf } from "#services/domain/versions.ts";
import type { VersionHasher } from "./version-hasher.ts";
import type { VersionHistories } from "./version-histories.ts";

export type VersionRecordDeps = {
  readonly lookups: Lookups;
  readonly versionHistories: VersionHistories;
  readonly versionHasher: VersionHasher;
};

export type VersionRecordRequest = {
  readonly catalogueId: string;
  readonly version: number;
  readonly reader: Reader;
  readonly asker: Asker;
};

export type FoundVersion = {
  readonly history: VersionHistory;
  readonly entry: VersionEntry;
  readonly record: VersionRecord;
  /** Whether guests read this version, and no source is named that is hidden from them. */
  readonly isPublic: boolean;
};

/**
 * The record of a version, with what the log tells of its catalogue. Of a deleted catalogue there is the
 * record of versions that the caller could read; its hash, if it was ever asked for.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED
 */
export async function readVersionRecord(
  deps: VersionRecordDeps,
  request: VersionRecordRequest,
): Promise<FoundVersion> {
  const { catalogueId, version, reader } = request;
  const isGuest = reader.kind === "guest";
  const history = await readHistory(deps, catalogueId, reader);
  if (history === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
  requireReadable(history, version, isGuest);
  const entry = versionOf(history, version);
  if (entry === undefined) throw new Refusal("NOT_FOUND", "There is no such version");
  const sources: VersionRecord["sources"] = [];
  const used = sourcesOf(entry);
  const ids = used.map(({ id }) => id);
  const hidden = await hiddenAmong(deps.lookups, ids, reader);
  for (const source of used) {
    const { id } = source;
    const sha256 = hidden.has(id)
      ? null
      : await hashOfSource(deps, { ...request, catalogueId: id, version: source.version });
    sources.push({ catalogue_id: hidden.has(id) ? null : id, version: source.version, sha256 });
  }
  const { committedAt, cause, actor, added, updated, removed, bounds, previous } = entry;
  const record: VersionRecord = {
    version,
    created_at: committedAt,
    cause,
    // For signed-in callers.
    actor: reader.kind === "guest" || reader.kind === "share" ? null : actor,
    added,
    updated,
    removed,
    event_count: entry.eventCount,
    bounds,
    sha256: await hashOf(deps, request, history, entry),
    content_hash: entry.contentHash,
    previous,
    sources,
    ...derivationOf(entry),
  };
  const named = ids.filter((id) => !hidden.has(id));
  const isPublic =
    isPublicVersion(history, version) && (await hiddenAmong(deps.lookups, named, GUEST)).size === 0;
  return { history, entry, record, isPublic };
}

/** As of no catalogue, for one that is not there for the reader: by as many steps, so in the same time. */
async function readHistory(
  { lookups, versionHistories }: VersionRecordDeps,
  catalogueId: string,
  reader: Reader,
): Promise<VersionHistory | null> {
  const hidden = await hiddenAmong(lookups, [catalogueId], reader);
  return versionHistories.read(hidden.has(catalogueId) ? NO_CATALOGUE : catalogueId);
}

/** The versions that a merge or a declustering was made of. */
function sourcesOf({ sources, derivedFrom }: VersionEntry) {
  if (derivedFrom === null) return sources ?? [];
  return [{ id: derivedFrom.catalogueId, version: derivedFrom.version }];
}

function derivationOf({ derivedFrom }: VersionEntry): Pick<VersionRecord, "derivation"> {
  if (derivedFrom === null) return {};
  const { filters, role, method: all } = derivedFrom;
  const { method, ...parameters } = all;
  return { derivation: { method, parameters, filters, role } };
}

function isPublicVersion({ publicFrom }: VersionHistory, version: number): boolean {
  return publicFrom !== null && version >= publicFrom;
}

function requireReadable(history: VersionHistory, version: number, isGuest: boolean): void {
  if (!isGuest || isPublicVersion(history, version)) return;
  const { publicFrom, isDeleted } = history;
  if (publicFrom === null && !isDeleted) throw new Refusal("UNAUTHENTICATED");
  throw new Refusal("NOT_FOUND", "There is no such version");
}

/** Null of a source that the caller may not read, and of a deleted one that nobody has asked for before. */
async function hashOfSource(
  deps: VersionRecordDeps,
  request: VersionRecordRequest,
): Promise<string | null> {
  const history = await deps.versionHistories.read(request.catalogueId);
  const entry = history && versionOf(history, request.version);
  if (!entry) return null;
  const { publicFrom } = history;
  const isHidden = publicFrom === null || request.version < publicFrom;
  return request.reader.kind === "guest" && isHidden ? null : hashOf(deps, request, history, entry);
}

async function hashOf(
  { lookups, versionHasher }: VersionRecordDeps,
  { catalogueId, version, asker }: VersionRecordRequest,
  { isDeleted }: VersionHistory,
  { contentHash }: VersionEntry,
): Promise<string | null> {
  const content = { catalogueId, version, contentHash };
  const known = await versionHasher.remembered(content);
  if (known !== null || isDeleted) return known;
  const asOf = String(version);
  const rows = await resolveVersion(lookups, { catalogueId, asOf, reader: SERVICE });
  return versionHasher.compute(content, rows, asker);
}
