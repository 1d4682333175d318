import { createHmac, type KeyObject } from "node:crypto";

/**
 * Names an email address in the log without showing it: HMAC-SHA256 of the normalised address, hex.
 * Without the key, which is only in the vault, addresses cannot be guessed and compared.
 */
export function emailHmac(key: KeyObject, normalisedEmail: string): string {
  return createHmac("sha256", key).update(normalisedEmail, "utf8").digest("hex");
}
