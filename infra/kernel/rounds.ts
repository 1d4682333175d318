import type { Asker } from "./asker.ts";

type Who = Pick<Asker, "caller" | "network">;

/** Lines of those who wait: networks take turns, and within each its callers. */
export type Rounds<W> = {
  readonly isWaiting: (who: Who) => boolean;
  readonly add: (who: Who, waiter: W) => void;
  readonly remove: (who: Who, waiter: W) => void;
  /** Takes the first of the lines that may go on, whose caller and network then come last. */
  readonly next: (mayGo: (first: W) => boolean) => W | null;
};

export function createRounds<W>(): Rounds<W> {
  /** By network, then by caller, each in the order of their next turns. */
  const networks = new Map<string, Map<string, W[]>>();

  function linesOf(network: string): Map<string, W[]> {
    const lines = networks.get(network) ?? new Map<string, W[]>();
    networks.set(network, lines);
    return lines;
  }

  function forgetEmpty({ network, caller }: Who): void {
    const lines = linesOf(network);
    if (lines.get(caller)?.length === 0) lines.delete(caller);
    if (lines.size === 0) networks.delete(network);
  }

  return {
    isWaiting: ({ network, caller }) => networks.get(network)?.has(caller) ?? false,
    add({ network, caller }, waiter) {
      const lines = linesOf(network);
      const line = lines.get(caller);
      if (line === undefined) lines.set(caller, [waiter]);
      else line.push(waiter);
    },
    remove(who, waiter) {
      const line = networks.get(who.network)?.get(who.caller);
      line?.splice(line.indexOf(waiter), 1);
      forgetEmpty(who);
    },
    next(mayGo) {
      for (const [network, lines] of networks) {
        for (const [caller, line] of lines) {
          const [first] = line;
          if (first === undefined || !mayGo(first)) continue;
          line.shift();
          toEnd(lines, caller);
          toEnd(networks, network);
          forgetEmpty({ network, caller });
          return first;
        }
      }
      return null;
    },
  };
}

function toEnd<V>(map: Map<string, V>, key: string): void {
  const value = map.get(key) as V;
  map.delete(key);
  map.set(key, value);
}
