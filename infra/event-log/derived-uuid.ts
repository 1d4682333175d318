import { hash } from "node:crypto";

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
