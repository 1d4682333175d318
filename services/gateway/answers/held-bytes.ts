export type HeldBounds = {
  /** For answers to one network. */
  readonly ofOne: number;
  readonly inAll: number;
};

/** Bytes of answers of a kind that are in memory until their clients have taken them, by network. */
export type HeldBytes = {
  /** Whether there is room for so many more; for what is alone, there always is. */
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
