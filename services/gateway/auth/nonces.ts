import { createHmac } from "node:crypto";
import { equalTexts } from "#infra/kernel/texts.ts";

/** Nonces of HTTP Digest: made by one gateway, known to all that share its secret, and kept by none. */
export type Nonces = {
  readonly next: () => string;
  /** Whether a nonce was made here lately; of others clients are told that they are stale. */
  readonly isFresh: (nonce: string) => boolean;
};

/**
 * As long as an answer may be repeated, by its client for one request after the other or by somebody
 * who overheard it for the very same read.
 */
const LIFETIME_MS = 5 * 60_000;
/** Clocks of gateways may differ by so much. */
const SKEW_MS = 60_000;

/** @param now milliseconds since 1970, of a clock that all gateways share */
export function createNonces(secret: string, now: () => number = Date.now): Nonces {
  const key = `digest nonces ${secret}`;
  const sign = (time: string) => createHmac("sha256", key).update(time).digest("base64url");
  return {
    next: () => {
      const time = now().toString(36);
      return `${time}.${sign(time)}`;
    },
    isFresh: (nonce) => {
      const [time = "", signature = ""] = nonce.split(".");
      const age = now() - Number.parseInt(time, 36);
      return age >= -SKEW_MS && age < LIFETIME_MS && equalTexts(signature, sign(time));
    },
  };
}
