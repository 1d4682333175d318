/** The values kept last under their keys, of a weight of at most `max` together; the oldest are dropped. */
export type Recent<V> = {
  get(key: string): V | undefined;
  /** Keeps a value as the newest. @param weight 1 by default, or what it was for a value that is kept */
  keep(key: string, value: V, weight?: number): V;
  drop(key: string): void;
};

export function createRecent<V>(max: number): Recent<V> {
  const kept = new Map<string, { readonly value: V; readonly weight: number }>();
  let total = 0;
  function drop(key: string): void {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  }
  return {
    get: (key) => kept.get(key)?.value,
    keep(key, value, weight = kept.get(key)?.weight ?? 1) {
      drop(key);
      kept.set(key, { value, weight });
      total += weight;
      for (const oldest of kept.keys()) {
        if (total <= max) break;
        drop(oldest);
      }
      return value;
    },
    drop,
  };
}

export type Memory<V> = {
  /** Makes the value of a key, or has it already. */
  (key: string, make: () => Promise<V>): Promise<V>;
  /** The value of a key that is kept or being made. */
  known(key: string): Promise<V> | undefined;
};

/**
 * Makes the value of a key once for all who ask, and again after a failure; those asked for last are kept.
 * @param max weight of the values kept, of which each has 1 by default
 */
export function createMemory<V>(max: number, weightOf: (value: V) => number = () => 1): Memory<V> {
  const kept = createRecent<Promise<V>>(max);
  const known = (key: string): Promise<V> | undefined => {
    const value = kept.get(key);
    return value && kept.keep(key, value);
  };
  const make = (key: string, makeValue: () => Promise<V>): Promise<V> => {
    const made = kept.keep(key, makeValue());
    made.then(
      (value) => {
        if (kept.get(key) === made) void kept.keep(key, made, weightOf(value));
      },
      () => {
        if (kept.get(key) === made) kept.drop(key);
      },
    );
    return made;
  };
  const memory = (key: string, makeValue: () => Promise<V>) => known(key) ?? make(key, makeValue);
  return Object.assign(memory, { known });
}
