import { z } from "zod";

/** A secret that is too strong for guessing. */
export function signingSecret() {
  const length = `must have at least ${MIN_SECRET_LENGTH} characters, not counting blanks at its ends`;
  return z
    .string()
    .refine(isLongSecret, { error: length, abort: true })
    .refine(
      isVariedSecret,
      "must be random: it is few characters, or a short text, again and again",
    );
}

/** HMAC-SHA256 keys shorter than the hash are weaker than it (RFC 7518, 3.2). */
const MIN_SECRET_LENGTH = 32;

/** 32 random digits have fewer distinct ones once in a million, random letters never. */
const MIN_DISTINCT_CHARACTERS = 6;

/** Whether a secret is long enough, without blanks at its ends, which are easy to guess. */
function isLongSecret(secret: string): boolean {
  return secret.trim().length >= MIN_SECRET_LENGTH;
}

/** Whether a secret has enough distinct characters and is not a repeated short text. */
function isVariedSecret(secret: string): boolean {
  const text = secret.trim();
  const isMixed = new Set(text).size >= MIN_DISTINCT_CHARACTERS;
  return isMixed && lengthWithoutRepeats(text) >= MIN_SECRET_LENGTH;
}

/** Length of the shortest text whose repetition is the secret; the secret's own length without one. */
function lengthWithoutRepeats(secret: string): number {
  for (let length = 1; length <= secret.length / 2; length += 1) {
    if (secret.startsWith(secret.slice(length))) return length;
  }
  return secret.length;
}
