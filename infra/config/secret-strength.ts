/** HMAC-SHA256 keys shorter than the hash weaken it (RFC 7518, 3.2). */
export const MIN_SECRET_LENGTH = 32;

/** 32 random digits have fewer once in a million times, random letters never. */
const MIN_DISTINCT_CHARACTERS = 6;

/** Whether a secret is long enough; blanks at its ends are no part of it that is hard to guess. */
export function isLongSecret(secret: string): boolean {
  return secret.trim().length >= MIN_SECRET_LENGTH;
}

/** Whether a secret is more than few characters, or a short text, again and again. */
export function isVariedSecret(secret: string): boolean {
  const text = secret.trim();
  const isMixed = new Set(text).size >= MIN_DISTINCT_CHARACTERS;
  return isMixed && lengthWithoutRepeats(text) >= MIN_SECRET_LENGTH;
}

/** The length of the text that the secret repeats at least once, its own where it repeats none. */
function lengthWithoutRepeats(secret: string): number {
  for (let length = 1; length <= secret.length / 2; length += 1) {
    if (secret.startsWith(secret.slice(length))) return length;
  }
  return secret.length;
}
