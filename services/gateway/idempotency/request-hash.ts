import { createHmac } from "node:crypto";
import { setImmediate } from "node:timers/promises";

/** Hashed per turn of the event loop: about a millisecond. */
const SLICE_BYTES = 1024 * 1024;

type HashedRequest = {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  readonly body: Buffer;
};

/**
 * HMAC-SHA256 of a request, 32 bytes. With a key, because a body may hold a password, which could be
 * guessed from a plain hash. A large body is hashed in place, slice by slice, with other requests
 * served in between.
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
