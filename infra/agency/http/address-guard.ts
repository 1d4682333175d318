import { lookup as resolveName } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { invalid } from "#contracts/errors.ts";
import { unbracketed } from "../../kernel/texts.ts";
import { settledWithin } from "../../kernel/waiting.ts";

/** Where requests to an agency may go. */
export type AddressRules = {
  /** Anywhere, by any port. */
  readonly isOpen: boolean;
  readonly ports: readonly number[];
};

/** An address that may not be asked; the message is a predicate. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

const INWARD = "leads to this machine, to a network near it or to no public address";
/** How long a name may take to be resolved where nothing is asked yet. */
const RESOLVED_WITHIN_MS = 2_000;
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "ws:": 80,
  "https:": 443,
  "wss:": 443,
};

/** Resolves a name to all its addresses, each with its family. */
export type Resolve = (
  name: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

const resolveAll: Resolve = (name) => resolveName(name, { all: true });

export type AddressGuard = ReturnType<typeof createAddressGuard>;

/**
 * Keeps requests of agencies out of the networks that this service is in. The address of a connection is the one that
 * was checked: the name is resolved once, by `lookup`.
 */
export function createAddressGuard({ isOpen, ports }: AddressRules, resolve: Resolve = resolveAll) {
  const isInward = createInwardTest();
  const checked: Resolve = async (name) => {
    const addresses = await resolve(name);
    if (!isOpen && addresses.some(({ address }) => isInward(address))) {
      throw new AddressRefused(INWARD);
    }
    return addresses;
  };
  /** Checks what an address says by itself: its port, and a numeric host. @throws AddressRefused */
  const require = (url: URL): void => {
    if (isOpen) return;
    const port = url.port === "" ? DEFAULT_PORTS[url.protocol] : Number(url.port);
    if (port === undefined || !ports.includes(port)) {
      throw new AddressRefused(`must have one of the ports ${ports.join(", ")}`);
    }
    const host = unbracketed(url.hostname);
    if (isIP(host) !== 0 && isInward(host)) throw new AddressRefused(INWARD);
  };
  const lookup: LookupFunction = (name, options, done) => {
    checked(name).then(
      (addresses) => answerLookup(addresses, name, options, done),
      (error: Error) => done(error, ""),
    );
  };

  return {
    require,
    /** Also resolves the name, for a while; one that does not resolve is let through. @throws AddressRefused */
    async requireResolved(url: URL): Promise<void> {
      require(url);
      const host = unbracketed(url.hostname);
      if (isOpen || isIP(host) !== 0) return;
      const refused = checked(host).then(
        () => null,
        (error: unknown) => (error instanceof AddressRefused ? error : null),
      );
      await settledWithin(refused, RESOLVED_WITHIN_MS);
      const refusal = await Promise.race([refused, null]);
      if (refusal !== null) throw refusal;
    },
    /** For connections of `net`, `http`, `https` and WebSockets, which are refused by the error AddressRefused. */
    lookup,
  };
}

function answerLookup(
  addresses: Awaited<ReturnType<Resolve>>,
  ...[name, { all, family }, done]: Parameters<LookupFunction>
): void {
  const wanted = family === 4 || family === 6 ? family : null;
  const usable = addresses.filter((one) => wanted === null || one.family === wanted);
  const [first] = usable;
  if (first === undefined) {
    done(Object.assign(new Error(`no address of ${name}`), { code: "ENOTFOUND" }), "");
  } else if (all) done(null, [...usable]);
  else done(null, first.address, first.family);
}

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

/**
 * Tells whether a numeric address is of this machine, of a network near it, or of no single public machine at all:
 * loopback, link-local, private, unique-local, shared, multicast, unspecified, reserved; every address of IPv4 in the
 * form of IPv6 but those of a translator. What is no address, or has a zone, is inward too.
 */
export function createInwardTest(): (address: string) => boolean {
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
  return (address) => {
    const family = address.includes("%") ? 0 : isIP(address);
    if (family === 4) return inward4.check(address, "ipv4");
    if (family === 6) return !global6.check(address, "ipv6") || inward6.check(address, "ipv6");
    return true;
  };
}

/**
 * Checks where the address of a field leads, also by its name.
 * @throws Refusal VALIDATION_ERROR
 */
export async function requireOutward(
  guard: Pick<AddressGuard, "requireResolved">,
  field: string,
  address: string,
): Promise<void> {
  await guard.requireResolved(new URL(address)).catch((error: unknown) => {
    throw error instanceof AddressRefused ? invalid(field, error.message) : error;
  });
}
