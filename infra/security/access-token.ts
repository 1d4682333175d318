import { createHash, randomInt } from "node:crypto";

const PREFIX = "eqc_";
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 28 digits of base 62 are 166 bits. */
const LENGTH = 28;

/** The realm of HTTP Digest and Basic. Every token's HA1 is made with it, so it can never change. */
export const TOKEN_REALM = "earthquake catalogues";

/** A new secret of an access token: `eqc_` and 166 random bits in base 62. */
export function newTokenSecret(): string {
  const digits = Array.from({ length: LENGTH }, () => DIGITS[randomInt(DIGITS.length)]);
  return PREFIX + digits.join("");
}

/** Whether a text is meant as the secret of an access token. */
export function isTokenSecret(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** The SHA-256 of a token's secret, by which it is known; hex. A random secret needs no slow hash. */
export function tokenSecretHash(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** HA1 of HTTP Digest with MD5, the token's id as user name (RFC 7616, 3.4.2); hex. */
export function tokenHa1(tokenId: string, secret: string): string {
  return createHash("md5").update(`${tokenId}:${TOKEN_REALM}:${secret}`).digest("hex");
}
