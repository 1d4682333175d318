import { isDeepStrictEqual } from "node:util";
import type { EventReads } from "./event-reads.ts";
import type { WrittenEvents } from "./event-writer.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  requireReadable,
  resolveVersion,
  type SeenVersion,
  type VersionName,
  type VersionRequest,
} from "./resolve-version.ts";

type Read<V, T> = (version: V) => Promise<T>;

/**
 * Reads events of the latest version, or that of `asOf`. The latest is taken to be the one last seen,
 * which saves a round trip: the statement of its events finds them only while it is, and while the same
 * may read it. Where it finds none, that may have changed.
 * @throws ApiError NOT_FOUND, UNAUTHENTICATED, VALIDATION_ERROR for asOf
 */
export async function readAtVersion<T extends { readonly events: WrittenEvents }>(
  reads: EventReads,
  { catalogueId, asOf, isGuest }: VersionRequest,
  read: Read<ResolvedVersion | SeenVersion, T>,
): Promise<T> {
  if (asOf !== undefined) {
    return read(await resolveVersion(reads.prepared, { catalogueId, asOf, isGuest }));
  }
  const seen = seenBy(reads, catalogueId, isGuest);
  const begun = seen && (await read({ ...seen, isSeen: true }));
  if (begun && begun.events.count > 0) return begun;
  const latest = await resolveLatest(reads, catalogueId, isGuest);
  // Versions only grow: what is the latest before and after was it in between.
  return begun && isDeepStrictEqual(latest, seen) ? begun : read(latest);
}

/**
 * Reads events of the version that a cursor names. Who may read it is taken to be as last seen, as
 * readAtVersion takes the latest version.
 * @throws ApiError NOT_FOUND, UNAUTHENTICATED, INVALID_CURSOR for a version to come
 */
export async function readAtCursor<T extends { readonly events: WrittenEvents }>(
  reads: EventReads,
  { catalogueId: id, version, isGuest }: VersionRequest & { readonly version: number },
  read: Read<VersionName, T>,
): Promise<T> {
  const seen = seenBy(reads, id, isGuest);
  const named = seen && { id, version, publicFrom: seen.publicFrom };
  const begun = named && isAllowed(named, isGuest) ? await read(named) : null;
  if (begun && begun.events.count > 0) return begun;
  const { publicFrom } = await resolveLatest(reads, id, isGuest);
  requireReadable({ version, publicFrom }, isGuest);
  return begun && publicFrom === named?.publicFrom ? begun : read({ id, version, publicFrom });
}

function isAllowed(version: Pick<ResolvedVersion, "version" | "publicFrom">, isGuest: boolean) {
  return !isGuest || isPublicVersion(version);
}

/** The latest version as last seen, where that is one for the reader. */
function seenBy(reads: EventReads, catalogueId: string, isGuest: boolean): ResolvedVersion | null {
  const seen = reads.seen.of(catalogueId);
  return seen && isAllowed(seen, isGuest) ? seen : null;
}

async function resolveLatest(
  reads: EventReads,
  catalogueId: string,
  isGuest: boolean,
): Promise<ResolvedVersion> {
  const latest = await resolveVersion(reads.prepared, { catalogueId, isGuest });
  reads.seen.put(latest.id, latest);
  return latest;
}
