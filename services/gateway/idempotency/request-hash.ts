import { createHmac } from "node:crypto";
import { setImmediate } from "node:timers/promises";

/** Hashed between two turns of the event loop: about a millisecond. */
const SLICE_BYTES = 1024 * 1024;

export type HashedRequest = {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly body: Buffer;
};

/**
 * HMAC-SHA256 of a request, 32 bytes. Keyed, because a body may hold a password, which a plain hash
 * would let be guessed. A large body is read in place, slice by slice: others are answered between.
 */
export async function requestHash(
  secret: string,
  { method, url, body }: HashedRequest,
): Promise<Buffer> {
  const hash = createHmac("sha256", `idempotency ${secret}`).update(`${method} ${url}\n`);
  for (let start = 0; start < body.length; start += SLICE_BYTES) {
    if (start > 0) await setImmediate();
    hash.update(body.subarray(start, start + SLICE_BYTES));
  }
  return hash.digest();
}
