type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value: a bulletin has neither nulls nor empty lists. */
export function present<T extends object>(members: T): Present<T> {
  const known: { [K in keyof T]?: T[K] } = {};
  for (const name in members) {
    const value = members[name];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) known[name] = value;
  }
  return known as Present<T>;
}
