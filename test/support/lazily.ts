/** What a hook makes, by its members, before the hook has run; there only while tests run. */
export function lazily<T extends object>(made: () => T | undefined): T {
  return new Proxy({} as T, {
    get(_, name) {
      const there = made();
      if (there === undefined) throw new Error(`${String(name)} is there only while tests run`);
      return Reflect.get(there, name);
    },
  });
}
