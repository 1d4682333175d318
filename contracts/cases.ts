/** The default of a switch over every case of a type: where a further one is forgotten, it does not compile. */
export function unknownCase(value: never): never {
  throw new Error(`unknown case: ${JSON.stringify(value)}`);
}

/** The keys of a record whose value is not null. */
export type KeyWithValue<R extends object> = {
  [K in keyof R]: R[K] extends null ? never : K;
}[keyof R];

/** The same keys, in the record's order. */
export function keysWithValue<R extends object>(record: R): KeyWithValue<R>[] {
  const keys = Object.keys(record) as (keyof R)[];
  return keys.filter((key): key is KeyWithValue<R> => record[key] !== null);
}
