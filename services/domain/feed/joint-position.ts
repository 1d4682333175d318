import type { FeedPosition } from "./feed-position.ts";

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
