import { createHmac, type KeyObject } from "node:crypto";

/**
 * A pseudonym for an email address in the log: HMAC-SHA256 of the normalised address, in hex.
 * Without the key, which is only in the vault, guessed addresses cannot be compared with it.
 */
export function emailHmac(key: KeyObject, normalisedEmail: string): string {
  return createHmac("sha256", key).update(normalisedEmail, "utf8").digest("hex");
}
