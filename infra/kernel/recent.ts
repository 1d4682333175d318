/** Values kept for those who ask next, and values made once for all who ask at once. */

import { addAbortListener } from "node:events";
import { QueueFull } from "./fair-queue.ts";

export type Recent<V> = ReturnType<typeof createRecent<V>>;

type Entry<V> = {
  readonly value: V;
  readonly weight: number;
  readonly cost: number;
  readonly rank: number;
};

/**
 * The values kept last under their keys, of a weight of at most `max` together. Of equal cost the oldest are dropped
 * first; a costly one outlives cheaper ones of its age (GreedyDual: N. Young, The k-server dual and loose
 * competitiveness for paging, Algorithmica 11, 1994). Costs count by powers of two.
 */
export function createRecent<V>(max: number) {
  const entries = new Map<string, Entry<V>>();
  /** By cost; the first key of each is its oldest. */
  const ages = new Map<number, Set<string>>();
  let total = 0;
  /** The rank of what was dropped last for want of room. */
  let floor = 0;

  function drop(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    total -= entry.weight;
    entries.delete(key);
    const age = ages.get(entry.cost);
    age?.delete(key);
    if (age?.size === 0) ages.delete(entry.cost);
  }

  function dropLeast(): void {
    const oldest = [...ages.values()].flatMap(([key = ""]) => {
      const entry = entries.get(key);
      return entry ? [{ key, rank: entry.rank }] : [];
    });
    const [least] = oldest.toSorted((a, b) => a.rank - b.rank);
    if (least === undefined) return;
    floor = least.rank;
    drop(least.key);
  }

  return {
    get: (key: string): V | undefined => entries.get(key)?.value,
    /**
     * Keeps a value as the newest.
     * @param weight 1 by default, or what it was for a value that is kept
     * @param price of making it again, by default what it was, or 0: what costs more stays longer
     */
    keep<W extends V>(
      key: string,
      value: W,
      weight = entries.get(key)?.weight ?? 1,
      price?: number,
    ): W {
      const cost =
        price === undefined ? (entries.get(key)?.cost ?? 0) : 2 ** Math.ceil(Math.log2(price + 1));
      drop(key);
      entries.set(key, { value, weight, cost, rank: floor + cost });
      const age = ages.get(cost) ?? new Set();
      ages.set(cost, age.add(key));
      total += weight;
      while (total > max) dropLeast();
      return value;
    },
    drop,
  };
}

/** Makes the value of a key once for all who ask; those asked for last are kept. */
type Shared<V> = {
  /**
   * @param work is done for all who ask meanwhile, and again after a failure; its signal aborts when the last
   * of them has left
   * @param signal of who asks: whoever leaves takes nothing from the others
   * @throws errors of the work; the signal's reason
   */
  <W extends V>(
    key: string,
    work: (signal: AbortSignal) => Promise<W>,
    signal?: AbortSignal,
  ): Promise<W>;
  /** Whether the value is kept or being made. */
  readonly has: (key: string) => boolean;
};

type Making<V> = { readonly value: Promise<V>; readonly ending: AbortController; askers: number };

/** @param memory what keeps the values, or the weight of all that are kept, of which each has 1 by default */
export function createShared<V>(
  memory: Recent<V> | number,
  weightOf: (value: V) => number = () => 1,
): Shared<V> {
  const values = typeof memory === "number" ? createRecent<V>(memory) : memory;
  const making = createMaking<V>((key, value, ms) => values.keep(key, value, weightOf(value), ms));

  async function ask(
    key: string,
    work: (signal: AbortSignal) => Promise<V>,
    signal?: AbortSignal,
  ): Promise<V> {
    for (;;) {
      signal?.throwIfAborted();
      const known = values.get(key);
      if (known !== undefined) return values.keep(key, known);
      const others = making.of(key);
      try {
        return await making.attend(key, others ?? making.start(key, work), signal);
      } catch (error) {
        // The bounds of whoever asked first are not those of the others.
        if (others === undefined || !(error instanceof QueueFull)) throw error;
      }
    }
  }

  const has = (key: string) => making.of(key) !== undefined || values.get(key) !== undefined;
  return Object.assign(ask as <W extends V>(...question: Parameters<typeof ask>) => Promise<W>, {
    has,
  });
}

/**
 * The values that are being made; a work ends when its last asker leaves.
 * @param onMade is told also how long it took, in milliseconds
 */
function createMaking<V>(onMade: (key: string, value: V, ms: number) => void) {
  const making = new Map<string, Making<V>>();

  function forget(key: string, entry: Making<V>): void {
    if (making.get(key) === entry) making.delete(key);
  }

  return {
    of: (key: string) => making.get(key),
    start(key: string, work: (signal: AbortSignal) => Promise<V>): Making<V> {
      const ending = new AbortController();
      const began = performance.now();
      const value = work(ending.signal);
      const entry = { value, ending, askers: 0 };
      making.set(key, entry);
      value.then(
        (made) => {
          forget(key, entry);
          onMade(key, made, performance.now() - began);
        },
        () => forget(key, entry),
      );
      return entry;
    },
    async attend(key: string, entry: Making<V>, signal?: AbortSignal): Promise<V> {
      entry.askers += 1;
      try {
        return await (signal ? unlessLeft(entry.value, signal) : entry.value);
      } finally {
        entry.askers -= 1;
        if (entry.askers === 0 && making.get(key) === entry) {
          making.delete(key);
          entry.ending.abort(signal?.reason);
        }
      }
    },
  };
}

/** The promise's outcome, or the signal's reason where that comes first. */
async function unlessLeft<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>();
  using _leave = addAbortListener(signal, () => left.reject(signal.reason));
  return await Promise.race([promise, left.promise]);
}
