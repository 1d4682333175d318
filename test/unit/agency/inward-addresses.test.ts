import fc from "fast-check";
import { expect, test } from "vitest";
import { createInwardTest } from "#infra/agency/http/address-guard.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

const isInward = createInwardTest();

testRows(
  "addresses that are not of the public network are inward",
  [
    ["loopback", "127.0.0.1", "127.255.255.254", "::1"],
    ["unspecified", "0.0.0.0", "0.1.2.3", "::"],
    ["private", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    ["link-local", "169.254.169.254", "fe80::1", "febf::1", "fe80::1%eth0"],
    ["unique-local", "fc00::1", "fd12:3456:789a::1"],
    ["shared by networks of providers", "100.64.0.1", "100.127.255.255"],
    ["multicast", "224.0.0.1", "239.255.255.255", "ff02::1"],
    ["reserved", "192.0.0.8", "198.18.0.1", "240.0.0.1", "255.255.255.255", "4000::1"],
    ["of documentation", "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    ["IPv4 in IPv6", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "::ffff:7f00:1", "::8.8.8.8"],
    ["IPv4 in tunnels", "2002:7f00:1::", "2001:0:7f00:1::", "64:ff9b::10.0.0.1", "64:ff9b:1::1"],
    ["no address", "", "localhost", "127.1", "0x7f.0.0.1", "1.2.3.4.5", "[::1]"],
  ],
  (_, ...addresses) => {
    expect(addresses.filter((address) => !isInward(address))).toEqual([]);
  },
);

test("public addresses are not inward, also next to the networks that are", () => {
  const addresses = [
    ..."8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255".split(" "),
    ..."128.0.0.0 169.253.255.255 172.15.255.255 172.32.0.0 192.167.255.255".split(" "),
    ..."223.255.255.255 2606:4700:4700::1111 2001:4860:4860::8888 2a02::1".split(" "),
    ..."64:ff9b::8.8.8.8".split(" "),
  ];
  expect(addresses.filter(isInward)).toEqual([]);
});

/** The first and the last address of each inward network. */
const INWARD_RANGES = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
].map(([first = "", last = ""]) => [numberOf(first), numberOf(last)] as const);

function numberOf(ipv4: string): number {
  return ipv4.split(".").reduce((number, part) => number * 256 + Number(part), 0);
}

const isInRange = (ipv4: string): boolean =>
  INWARD_RANGES.some(([first, last]) => numberOf(ipv4) >= first && numberOf(ipv4) <= last);

/** Any address, and often one beside the end of a network. */
const ipv4 = fc.oneof(
  fc.ipV4(),
  fc
    .tuple(fc.constantFrom(...INWARD_RANGES.flat()), fc.integer({ min: -2, max: 2 }))
    .map(([end, step]) => (end + step + 2 ** 32) % 2 ** 32)
    .map((number) => [24, 16, 8, 0].map((bits) => (number / 2 ** bits) & 255).join(".")),
);

test("an address of IPv4 is inward as its number lies, alone and behind a translator", () => {
  fc.assert(
    fc.property(ipv4, (address) => {
      expect(isInward(address)).toBe(isInRange(address));
      expect(isInward(`64:ff9b::${address}`)).toBe(isInRange(address));
      expect(isInward(`::ffff:${address}`)).toBe(true);
    }),
    { numRuns: runs(2_000) },
  );
});

const hex = (number: bigint): string =>
  [...Array(8).keys()]
    .map((i) => ((number >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
    .join(":");

/** Whether the first bits of an address are those of a network. */
const begins = (number: bigint, prefix: bigint, bits: number): boolean =>
  number >> BigInt(128 - bits) === prefix;

test("an address of IPv6 is inward unless it is a global one of no special use, however it is written", () => {
  const firstBits = fc.constantFrom(
    0n,
    0x2000n << 112n,
    0x2001n << 112n,
    0x20010db8n << 96n,
    0x2002n << 112n,
    0x3fffn << 112n,
    0xfe80n << 112n,
    0xfc00n << 112n,
    0xffffn << 32n,
  );
  const low = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
  const kept = fc.constantFrom(0n, 32n, 64n, 104n, 112n, 125n, 128n);
  fc.assert(
    fc.property(firstBits, low, kept, (first, random, bits) => {
      const number = first | (random & ((1n << bits) - 1n));
      const isGlobal = begins(number, 1n, 3);
      const isSpecial =
        begins(number, 0x2001n << 7n, 23) ||
        begins(number, 0x20010db8n, 32) ||
        begins(number, 0x2002n, 16) ||
        begins(number, 0x3fffn << 4n, 20);
      const expected = !isGlobal || isSpecial;
      // Nothing of a translator's is made here but by chance.
      fc.pre(!begins(number, 0x0064ff9bn << 64n, 96));
      expect(isInward(hex(number))).toBe(expected);
      expect(isInward(new URL(`http://[${hex(number)}]/`).hostname.slice(1, -1))).toBe(expected);
    }),
    { numRuns: runs(2_000) },
  );
});
