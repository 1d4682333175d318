import { isDeepStrictEqual } from "node:util";
import type { EventReads } from "./event-reads.ts";
import type { WrittenEvents } from "./event-writer.ts";
import { type ResolvedVersion, resolveVersion, type SeenVersion } from "./resolve-version.ts";

type VersionRequest = { readonly catalogueId: string; readonly asOf: string | undefined };

/**
 * Reads events of the latest version, or that of `asOf`. The latest is taken to be the one last seen,
 * which saves a round trip: the statement of its events finds them only while it is. Where it finds
 * none, that may have changed.
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR for asOf
 */
export async function readAtVersion<T extends { readonly events: WrittenEvents }>(
  reads: EventReads,
  { catalogueId, asOf }: VersionRequest,
  read: (version: ResolvedVersion | SeenVersion) => Promise<T>,
): Promise<T> {
  if (asOf !== undefined) return read(await resolveVersion(reads.prepared, catalogueId, asOf));
  const seen = reads.seen.of(catalogueId);
  const begun = seen && (await read({ ...seen, isSeen: true }));
  if (begun && begun.events.count > 0) return begun;
  const latest = await resolveVersion(reads.prepared, catalogueId);
  reads.seen.put(latest.id, latest);
  // Versions only grow: what is the latest before and after was it in between.
  return begun && isDeepStrictEqual(latest, seen) ? begun : read(latest);
}
