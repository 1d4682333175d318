/** The values kept last under their keys, of a weight of at most `max` together; the oldest are dropped. */
export type Recent<V> = {
  get(key: string): V | undefined;
  /** Keeps a value as the newest. @param weight 1 by default, or what it was for a value that is kept */
  keep(key: string, value: V, weight?: number): V;
  drop(key: string): void;
};

export function createRecent<V>(max: number): Recent<V> {
  const entries = new Map<string, { readonly value: V; readonly weight: number }>();
  let total = 0;
  function drop(key: string): void {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }
  return {
    get: (key) => entries.get(key)?.value,
    keep(key, value, weight = entries.get(key)?.weight ?? 1) {
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
