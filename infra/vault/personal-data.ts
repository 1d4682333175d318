import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
/** Random, 96 bits (NIST SP 800-38D, 8.2.2); far fewer than 2^32 texts are encrypted with one key. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A new key for one user's data: an object, since encrypting with bytes takes three times as long. */
export function newPersonalKey(): KeyObject {
  return createSecretKey(randomBytes(KEY_BYTES));
}

/** Encrypts `text` for the log: `iv.tag.ciphertext`, base64url; different every time. */
export function encryptPersonal(key: KeyObject, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString("base64url")).join(".");
}

/** @throws Error for the wrong key or a modified text */
export function decryptPersonal(key: KeyObject, encrypted: string): string {
  const [iv, tag, ciphertext] = encrypted.split(".").map((part) => Buffer.from(part, "base64url"));
  if (!iv || !tag || !ciphertext) throw new Error("encrypted text has not three parts");
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
}

/** A pseudonym for an account at an institute, as `emailHmac`; no address has a line break in it. */
export function identityHmac(
  key: KeyObject,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): string {
  return emailHmac(key, `${JSON.stringify(issuer)}\n${JSON.stringify(subject)}`);
}

/**
 * A pseudonym for an email address in the log: HMAC-SHA256 of the normalised address, in hex.
 * Without the key, which is only in the vault, guessed addresses cannot be compared with it.
 */
export function emailHmac(key: KeyObject, normalisedEmail: string): string {
  return createHmac("sha256", key).update(normalisedEmail, "utf8").digest("hex");
}

const SECRET_BYTES = 32;
const EMAIL_SECRET = "email-hmac";

const Secret = z.object({ value: z.instanceof(Buffer) });

/** The key for pseudonyms of email addresses in the log, created when missing; concurrent processes get the same. */
export async function emailKey(pool: CommonQueryMethods): Promise<KeyObject> {
  await pool.query(sql.unsafe`
    insert into vault.secrets (name, value)
    values (${EMAIL_SECRET}, ${sql.binary(randomBytes(SECRET_BYTES))})
    on conflict do nothing`);
  const { value } = await pool.one(sql.type(Secret)`
    select value from vault.secrets where name = ${EMAIL_SECRET}`);
  return createSecretKey(value);
}
