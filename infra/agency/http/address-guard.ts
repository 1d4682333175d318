import { lookup as resolveName } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { settledWithin } from "../../kernel/waiting.ts";
import { isInward } from "./inward-addresses.ts";

/** Where requests to an agency may go. */
export type AddressRules = {
  /** Anywhere, by any port. */
  readonly isOpen: boolean;
  readonly ports: readonly number[];
};

/** Resolves a name to all its addresses, each with its family. */
export type Resolve = (
  name: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/**
 * Keeps requests of agencies out of the networks that this service is in. The address of a connection is the one that
 * was checked: the name is resolved once, by `lookup`.
 */
export type AddressGuard = {
  /** Checks what an address says by itself: its port, and a numeric host. @throws AddressRefused */
  readonly require: (url: URL) => void;
  /** Also resolves the name, for a while; one that does not resolve is let through. @throws AddressRefused */
  readonly requireResolved: (url: URL) => Promise<void>;
  /** For connections of `net`, `http`, `https` and WebSockets, which are refused by the error AddressRefused. */
  readonly lookup: LookupFunction;
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

const resolveAll: Resolve = (name) => resolveName(name, { all: true });

export function createAddressGuard(
  { isOpen, ports }: AddressRules,
  resolve: Resolve = resolveAll,
): AddressGuard {
  const checked: Resolve = async (name) => {
    const addresses = await resolve(name);
    if (!isOpen && addresses.some(({ address }) => isInward(address))) {
      throw new AddressRefused(INWARD);
    }
    return addresses;
  };
  const require = (url: URL): void => {
    if (isOpen) return;
    const port = url.port === "" ? DEFAULT_PORTS[url.protocol] : Number(url.port);
    if (port === undefined || !ports.includes(port)) {
      throw new AddressRefused(`must have one of the ports ${ports.join(", ")}`);
    }
    const host = hostOf(url);
    if (isIP(host) !== 0 && isInward(host)) throw new AddressRefused(INWARD);
  };

  return {
    require,
    async requireResolved(url) {
      require(url);
      if (isOpen || isIP(hostOf(url)) !== 0) return;
      const refused = checked(hostOf(url)).then(
        () => null,
        (error: unknown) => (error instanceof AddressRefused ? error : null),
      );
      await settledWithin(refused, RESOLVED_WITHIN_MS);
      const refusal = await Promise.race([refused, null]);
      if (refusal !== null) throw refusal;
    },
    lookup(name, { all, family }, done) {
      checked(name).then(
        (addresses) => answerLookup(addresses, { all, family }, name, done),
        (error: Error) => done(error, ""),
      );
    },
  };
}

type LookupOptions = Parameters<LookupFunction>[1];
type LookupDone = Parameters<LookupFunction>[2];

function answerLookup(
  addresses: Awaited<ReturnType<Resolve>>,
  { all, family }: Pick<LookupOptions, "all" | "family">,
  name: string,
  done: LookupDone,
): void {
  const wanted = family === 4 || family === 6 ? family : null;
  const usable = addresses.filter((one) => wanted === null || one.family === wanted);
  const [first] = usable;
  if (first === undefined) {
    done(Object.assign(new Error(`no address of ${name}`), { code: "ENOTFOUND" }), "");
  } else if (all) done(null, [...usable]);
  else done(null, first.address, first.family);
}

/** The host of a URL, without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
