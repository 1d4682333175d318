/** Values kept for those who ask next, and values made once for all who ask at once. */

import { addAbortListener } from "node:events";
import { QueueFull } from "./fair-queue.ts";

/** The values kept last under their keys, of a weight of at most `max` together; the oldest are dropped. */
export function createRecent<V>(max: number) {
  const entries = new Map<string, { readonly value: V; readonly weight: number }>();
  let total = 0;
  function drop(key: string): void {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }
  return {
    get: (key: string): V | undefined => entries.get(key)?.value,
    /** Keeps a value as the newest. @param weight 1 by default, or what it was for a value that is kept */
    keep(key: string, value: V, weight = entries.get(key)?.weight ?? 1): V {
      drop(key);
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (total <= max) break;
        drop(oldest);
      }
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

/** @param max weight of the values kept, of which each has 1 by default */
export function createShared<V>(max: number, weightOf: (value: V) => number = () => 1): Shared<V> {
  const values = createRecent<V>(max);
  const making = createMaking<V>((key, value) => values.keep(key, value, weightOf(value)));

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

/** The values that are being made; a work ends when its last asker leaves. */
function createMaking<V>(onMade: (key: string, value: V) => void) {
  const making = new Map<string, Making<V>>();

  function forget(key: string, entry: Making<V>): void {
    if (making.get(key) === entry) making.delete(key);
  }

  return {
    of: (key: string) => making.get(key),
    start(key: string, work: (signal: AbortSignal) => Promise<V>): Making<V> {
      const ending = new AbortController();
      const value = work(ending.signal);
      const entry = { value, ending, askers: 0 };
      making.set(key, entry);
      value.then(
        (made) => {
          forget(key, entry);
          onMade(key, made);
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
