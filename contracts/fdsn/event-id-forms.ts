import { OWN_AUTHORITY, SOURCE_ID_PATH } from "../seismic-event/own-public-id.ts";
import { bareId, type EventIds, MAX_PUBLIC_ID } from "../seismic-event/public-id.ts";

/**
 * The ids that a text in `eventid` can be. An event is meant that has
 * - `ourId` as its id; or
 * - one of `publicIds` as its public id (`extra.public_id`); or
 * - one of `sourceIds` as its `source_id`, or as the bare id in a `source_id` that is a public id; or
 * - `bareId` as its `source_id`, and no public id: of events that have one the bare id does not tell
 *   which is meant (`infra/decisions/0024`).
 */
export type EventIdForms = {
  /** In lower case, with hyphens. */
  readonly ourId: string | null;
  readonly sourceIds: string[];
  readonly publicIds: string[];
  readonly bareId: string | null;
};

const UUID = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/i;

/**
 * All that an id in a query can be: our id with or without hyphens, the public id that our QuakeML
 * gives an event, an agency's public id or its bare id (`source_id`), as the formats show them.
 */
export function eventIdForms(text: string): EventIdForms {
  const id = text.trim();
  const own = id.startsWith(OWN_AUTHORITY);
  const ourId = uuidOf(own ? id.slice(id.lastIndexOf("/") + 1) : id);
  const sourceId = id.startsWith(SOURCE_ID_PATH) ? id.slice(SOURCE_ID_PATH.length) : null;
  const bare = bareId(id);
  const isPublic = !own && bare !== id;
  return {
    ourId,
    sourceIds: sourceId === null ? [id] : [id, sourceId],
    publicIds: id.length <= MAX_PUBLIC_ID ? [id] : [],
    // With a comma it may be several ids, of which the last one is not meant alone.
    bareId: isPublic && !id.includes(",") ? bare : null,
  };
}

/** By which of its ids an event is meant. */
export type MeantBy = "id" | "source_id" | "public_id";

/**
 * By which of its ids an event is meant; null where another is.
 * @param event its id here; its `source_id`, and the public id beside it in `extra`
 */
export function meantBy(
  { ourId, sourceIds, publicIds, bareId: bare }: EventIdForms,
  { id, sourceId, publicId }: EventIds & { readonly id: string },
): MeantBy | null {
  if (id === ourId) return "id";
  const isPublicId = publicId !== null && publicIds.includes(publicId);
  if (sourceId !== null) {
    if (sourceIds.includes(sourceId)) return "source_id";
    if (HAS_PARTS.test(sourceId) && sourceIds.includes(bareId(sourceId))) return "source_id";
    if (sourceId === bare && publicId === null) return "source_id";
  }
  return isPublicId ? "public_id" : null;
}

/** Of texts that may have a bare id within them. */
const HAS_PARTS = /[/?&]/;

function uuidOf(text: string): string | null {
  const parts = UUID.exec(text);
  return parts === null ? null : parts.slice(1).join("-").toLowerCase();
}
