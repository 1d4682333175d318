/** The values kept last under their keys, at most `max`; the oldest are dropped. */
export type Recent<V> = {
  get(key: string): V | undefined;
  /** Keeps a value as the newest. */
  keep(key: string, value: V): V;
  drop(key: string): void;
};

export function createRecent<V>(max: number): Recent<V> {
  const kept = new Map<string, V>();
  return {
    get: (key) => kept.get(key),
    keep(key, value) {
      kept.delete(key);
      kept.set(key, value);
      for (const oldest of kept.keys()) {
        if (kept.size <= max) break;
        kept.delete(oldest);
      }
      return value;
    },
    drop: (key) => void kept.delete(key),
  };
}

/**
 * Makes the value of a key once for all who ask, and again after a failure; those asked for last are kept.
 * @param max values kept
 */
export function createMemory<V>(max: number): (key: string, make: () => Promise<V>) => Promise<V> {
  const kept = createRecent<Promise<V>>(max);
  return (key, make) => {
    const known = kept.get(key);
    if (known !== undefined) return kept.keep(key, known);
    const made = kept.keep(key, make());
    made.catch(() => {
      if (kept.get(key) === made) kept.drop(key);
    });
    return made;
  };
}
