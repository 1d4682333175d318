/** Small functions of texts and of addresses. */

import { hash, timingSafeEqual } from "node:crypto";
import { BlockList, isIP } from "node:net";

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
  return timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"));
}

/** Whether an address is of this machine alone. */
export function isLoopback(address: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Whether the host of a URL is this machine. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isLoopback(unbracketed(host));
}

/** The host of a URL without the brackets of IPv6. */
export function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}
