/** Small functions of texts. */

import { createHash, hash, timingSafeEqual } from "node:crypto";

/** Without trailing `character`s. A pattern such as `/0+$/` would try each run from each place. */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** A UUID (version 8, RFC 9562) from the text's SHA-256: equal texts give equal UUIDs. */
export function derivedUuid(text: string): string {
  const hex = hash("sha256", text);
  const variant = (Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant.toString(16)}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

/** Whether two texts are equal, in a time that does not tell how much of them is. */
export function equalTexts(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
