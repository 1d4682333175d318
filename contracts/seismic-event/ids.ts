/** Ids that this service makes. */

/**
 * Ids of seismic events: UUID version 8 (RFC 9562) of the 60 random bits of the catalogue's version
 * 4 UUID, 30 bits for the revision that added the event, and 32 bits for its index in that revision.
 * They need no storage and no hashing, and the ids of one catalogue sort by (revision, index), both
 * as text and as PostgreSQL's uuid.
 *
 *   cccccccc-cccc-8ccc-rrrr-rrrriiiiiiii    c catalogue, r 10₂ and revision, i index
 */

export const MAX_REVISION = 2 ** 30 - 1;
export const MAX_INDEX = 2 ** 32 - 1;

/**
 * The id of the event at `index` of a catalogue's revision.
 * @throws RangeError when the revision or the index does not fit
 */
export function eventId(catalogueId: string, revision: number, index: number): string {
  return eventIdAt(eventIdPrefix(catalogueId, revision), index);
}

/**
 * The common prefix of a revision's ids, for `eventIdAt`.
 * @throws RangeError when the revision does not fit
 */
export function eventIdPrefix(catalogueId: string, revision: number): string {
  requireInteger("revision", revision, MAX_REVISION);
  const id = catalogueId.toLowerCase();
  const word = (0x8000_0000 + revision).toString(16);
  return `${id.slice(0, 14)}8${id.slice(15, 19)}${word.slice(0, 4)}-${word.slice(4)}`;
}

/**
 * The id at `index` under a prefix made by `eventIdPrefix`.
 * @throws RangeError when the index does not fit
 */
export function eventIdAt(prefix: string, index: number): string {
  requireInteger("index", index, MAX_INDEX);
  return prefix + index.toString(16).padStart(8, "0");
}

/** Where an id that `eventId` made stands in the order of its catalogue's ids: by revision, then index. */
export function eventIdPlace(id: string): { readonly revision: number; readonly index: number } {
  const word = Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16);
  return { revision: word - 0x8000_0000, index: Number.parseInt(id.slice(28), 16) };
}

/** An id without hyphens: 32 hexadecimal digits, which clients of FDSN services take for one word. */
export function compactEventId(id: string): string {
  return id.replaceAll("-", "");
}

function requireInteger(name: string, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new RangeError(`${name} ${value} is not an integer from 0 to ${max}`);
  }
}

/** Prefix of the public ids that our QuakeML has; its reader does not take them for an agency's. */
export const OWN_AUTHORITY = "smi:local.catalogue/";
/** Followed by the submitter's id of an event. */
export const SOURCE_ID_PATH = `${OWN_AUTHORITY}event/`;
/**
 * Followed by our own id as 32 hexadecimal digits, formerly with hyphens, for an event without an id
 * of its submitter or with one that is not a single word.
 */
export const EVENT_ID_PATH = `${OWN_AUTHORITY}id/`;

/** The origin that our writer makes of a row; one that an edit made has a suffix. */
const ORIGIN_PATH = `${OWN_AUTHORITY}origin/`;
const WITHOUT_SUFFIX = /^[\w-]+$/;

/**
 * Whether an event was a row alone when our writer gave it a public id, whatever was added to it since: it
 * names what is preferred, or has none. Another may have such an id from an event service, which gives it.
 */
export function isMadeOfRow(
  publicID: string | undefined,
  originIds: readonly (string | undefined)[],
): boolean {
  const isOwn = publicID?.startsWith(EVENT_ID_PATH) || publicID?.startsWith(SOURCE_ID_PATH);
  const isOfRow = (id = "") =>
    id.startsWith(ORIGIN_PATH) && WITHOUT_SUFFIX.test(id.slice(ORIGIN_PATH.length));
  return isOwn === true && originIds.some(isOfRow);
}
