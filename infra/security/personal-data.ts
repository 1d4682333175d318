import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
/** NIST SP 800-38D §8.2.2: random, 96 bits; far fewer than 2^32 texts are encrypted with one key. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A new key for one user's personal data. Keys are objects of node:crypto, which takes three times as
 * long about a text when it is given their bytes.
 */
export function newPersonalKey(): KeyObject {
  return createSecretKey(randomBytes(KEY_BYTES));
}

/** `text` as it may stand in the log: `iv.tag.ciphertext`, base64url; different every time. */
export function encryptPersonal(key: KeyObject, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString("base64url")).join(".");
}

/** @throws Error when the key is another or the text was tampered with */
export function decryptPersonal(key: KeyObject, encrypted: string): string {
  const [iv, tag, ciphertext] = encrypted.split(".").map((part) => Buffer.from(part, "base64url"));
  if (!iv || !tag || !ciphertext) throw new Error("encrypted text has not three parts");
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
}
