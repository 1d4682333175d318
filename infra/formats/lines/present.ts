type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value: a bulletin has neither nulls nor empty lists. */
export function present<T extends object>(members: T): Present<T> {
  const entries = Object.entries(members).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(entries) as Present<T>;
}
