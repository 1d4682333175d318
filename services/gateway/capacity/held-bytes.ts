import type { HeldBounds } from "./queue-limits.ts";

/** Bytes in memory of answers of a kind, until their clients have read them, by network. */
export type HeldBytes = {
  /** Whether this many more bytes fit; a single answer always fits. */
  readonly hasRoom: (network: string, bytes: number, bounds: HeldBounds) => boolean;
  /** @param change may be negative */
  readonly change: (network: string, change: number) => void;
  readonly inAll: () => number;
};

export function createHeldBytes(): HeldBytes {
  const byNetwork = new Map<string, number>();
  let inAll = 0;
  return {
    hasRoom(network, bytes, bounds) {
      const own = byNetwork.get(network) ?? 0;
      const hasOwn = own === 0 || own + bytes <= bounds.ofOne;
      return hasOwn && (inAll === 0 || inAll + bytes <= bounds.inAll);
    },
    change(network, change) {
      const own = (byNetwork.get(network) ?? 0) + change;
      inAll += change;
      if (own === 0) byNetwork.delete(network);
      else byNetwork.set(network, own);
    },
    inAll: () => inAll,
  };
}
