/** What was read last, by id, of a bounded number: to begin with, while it is told whether it still holds. */
export type LastSeen<T> = {
  readonly of: (id: string) => T | null;
  /** Null forgets the id. */
  readonly put: (id: string, value: T | null) => void;
};

/** @param max ids; beyond them the one that was put longest ago is forgotten */
export function createLastSeen<T>(max: number): LastSeen<T> {
  const values = new Map<string, T>();
  return {
    of: (id) => values.get(id) ?? null,
    put(id, value) {
      values.delete(id);
      if (value === null) return;
      values.set(id, value);
      if (values.size <= max) return;
      for (const oldest of values.keys()) {
        values.delete(oldest);
        return;
      }
    },
  };
}
