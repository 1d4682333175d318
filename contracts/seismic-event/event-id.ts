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
