import { hash } from "node:crypto";
import type { AnsweredEvent } from "./agency-event.ts";

/** Never in a fingerprint: free for its keeper's own mark. */
export const FREE_BIT = 1n;
/** Always in a fingerprint, which is never 0 so. */
const SET_BIT = 2n;

/** Of all that an answer says of an event: 64 bits that differ where that does. */
export function fingerprintOf({ event, bulletin }: AnsweredEvent): bigint {
  const text = JSON.stringify(event) + (bulletin?.sha256 ?? "");
  const bits = hash("sha1", text, "buffer").readBigUInt64LE();
  return (bits & ~FREE_BIT) | SET_BIT;
}
