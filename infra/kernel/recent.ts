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
