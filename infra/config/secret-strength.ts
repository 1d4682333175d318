/** HMAC-SHA256 keys shorter than the hash are weaker than it (RFC 7518, 3.2). */
export const MIN_SECRET_LENGTH = 32;

/** 32 random digits have fewer distinct ones once in a million, random letters never. */
const MIN_DISTINCT_CHARACTERS = 6;

/** Whether a secret is long enough, without blanks at its ends, which are easy to guess. */
export function isLongSecret(secret: string): boolean {
  return secret.trim().length >= MIN_SECRET_LENGTH;
}

/** Whether a secret has enough distinct characters and is not a repeated short text. */
export function isVariedSecret(secret: string): boolean {
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
