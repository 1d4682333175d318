import { BlockList, isIP } from "node:net";

/**
 * Networks of IPv4 that are no public ones: IANA's "IPv4 Special-Purpose Address Registry" without those that are
 * globally reachable, multicast (RFC 5771), and the relays of 6to4 (RFC 7526).
 */
const INWARD_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** IPv6 that is routed in public: global unicast (RFC 4291, 2.4). */
const GLOBAL_IPV6 = ["2000::", 3] as const;

/**
 * Of these not: protocol assignments with Teredo, documentation (RFC 3849, RFC 9637), 6to4, which holds an address of
 * IPv4.
 */
const INWARD_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

/** Before an address of IPv4, which networks without IPv4 reach by it (RFC 6052, 2.1). */
const TRANSLATED = "64:ff9b::";
const TRANSLATED_BITS = 96;

// A list of both families takes an address of IPv4 that is mapped to IPv6 for the one that it holds.
const inward4 = new BlockList();
const inward6 = new BlockList();
const global6 = new BlockList();
for (const [network, prefix] of INWARD_IPV4) {
  inward4.addSubnet(network, prefix, "ipv4");
  inward6.addSubnet(`${TRANSLATED}${network}`, TRANSLATED_BITS + prefix, "ipv6");
}
for (const [network, prefix] of INWARD_IPV6) inward6.addSubnet(network, prefix, "ipv6");
global6.addSubnet(...GLOBAL_IPV6, "ipv6");
global6.addSubnet(TRANSLATED, TRANSLATED_BITS, "ipv6");

/**
 * Whether a numeric address is of this machine, of a network near it, or of no single public machine at all: loopback,
 * link-local, private, unique-local, shared, multicast, unspecified, reserved; every address of IPv4 in the form of
 * IPv6 but those of a translator. What is no address, or has a zone, is inward too.
 */
export function isInward(address: string): boolean {
  const family = address.includes("%") ? 0 : isIP(address);
  if (family === 4) return inward4.check(address, "ipv4");
  if (family === 6) return !global6.check(address, "ipv6") || inward6.check(address, "ipv6");
  return true;
}
