/**
 * What followers of changes are told: places in the changes of one catalogue and of several, and
 * what a change is to a feed with a filter.
 */

import type { EventPredicate, FilteredEvent } from "#contracts/query/predicate.ts";

/**
 * A place in the changes of a catalogue: after change `change` (from 1) of a version, in the order of the
 * log. The changes of a version are followed by the message of its end, which counts as one more.
 */
export type FeedPosition = { readonly version: number; readonly change: number };

/** After everything of a version; no version has as many changes. */
export const ALL_CHANGES = 2 ** 32 - 1;

/** Before the first version. */
export const FEED_START: FeedPosition = { version: 0, change: ALL_CHANGES };

const POSITION = /^(\d{1,9})(?:\.(\d{1,10}))?$/;

/** Reads `<version>.<change>`, or `<version>` for everything of it; null for another text. */
export function parsePosition(text: string): FeedPosition | null {
  const [, version, change] = POSITION.exec(text) ?? [];
  if (version === undefined) return null;
  const after = change === undefined ? ALL_CHANGES : Number(change);
  return after > ALL_CHANGES ? null : { version: Number(version), change: after };
}

/** The text that `parsePosition` reads. */
export function positionText({ version, change }: FeedPosition): string {
  return change === ALL_CHANGES ? String(version) : `${version}.${change}`;
}

/**
 * Places in several catalogues at once, as one opaque text: for each catalogue the 16 bytes of its id, then
 * version and change with 4 bytes each, all in base64url.
 */
const BYTES = 24;
const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
const BASE64URL = /^[\w-]+$/;

/** @param positions by catalogue id */
export function jointPositionText(positions: ReadonlyMap<string, FeedPosition>): string {
  const bytes = Buffer.alloc(BYTES * positions.size);
  let at = 0;
  for (const [catalogueId, { version, change }] of positions) {
    bytes.write(catalogueId.replaceAll("-", ""), at, "hex");
    bytes.writeUInt32BE(version, at + 16);
    bytes.writeUInt32BE(change, at + 20);
    at += BYTES;
  }
  return bytes.toString("base64url");
}

/** Reads what `jointPositionText` has written; null for another text. */
export function parseJointPosition(text: string): Map<string, FeedPosition> | null {
  const bytes = Buffer.from(text, "base64url");
  if (!BASE64URL.test(text) || bytes.length === 0 || bytes.length % BYTES !== 0) return null;
  const positions = new Map<string, FeedPosition>();
  for (let at = 0; at < bytes.length; at += BYTES) {
    const id = bytes.toString("hex", at, at + 16).replace(UUID, "$1-$2-$3-$4-$5");
    const version = bytes.readUInt32BE(at + 16);
    positions.set(id, { version, change: bytes.readUInt32BE(at + 20) });
  }
  return positions;
}

export type FeedAction = "create" | "update" | "delete";

/** A change of an event: as it is after it, and as it was before it. */
export type EventStates<E> = { readonly before: E | null; readonly after: E | null };

/** `other`: how the event is outside the filter, where a revision has brought it in or out; else null. */
type FilteredChange<E> = {
  readonly action: FeedAction;
  readonly event: E;
  readonly other: E | null;
};

/**
 * What a change is to a feed with a filter: an event that enters the filter is created there, one that leaves
 * it is deleted; null where neither state satisfies it. A delete shows the event as it was.
 */
export function filteredChange<E extends FilteredEvent>(
  filter: EventPredicate,
  { before, after }: EventStates<E>,
): FilteredChange<E> | null {
  const was = before !== null && filter(before) ? before : null;
  const is = after !== null && filter(after) ? after : null;
  if (is !== null && was !== null) return { action: "update", event: is, other: null };
  if (is !== null) return { action: "create", event: is, other: before };
  return was === null ? null : { action: "delete", event: was, other: after };
}

/** After which a catalogue may not be readable for somebody any more. */
export const OF_READERS = [
  "VisibilityChanged",
  "CatalogueDeleted",
  "ShareEnded",
  "MemberSet",
  "MemberRemoved",
];
/** After which somebody may have lost the right to any. */
export const OF_USERS = [
  "GroupMembersChanged",
  "GroupDeleted",
  "UserRoleChanged",
  "UserDeactivated",
  "UserDeleted",
];
