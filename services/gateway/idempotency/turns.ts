/** Runs the works of one name one after the other, in order of arrival; other names do not wait. */
type Turns = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  return async (name, work) => {
    const before = last.get(name);
    const { promise: done, resolve } = Promise.withResolvers<void>();
    last.set(name, done);
    await before;
    try {
      return await work();
    } finally {
      resolve();
      if (last.get(name) === done) last.delete(name);
    }
  };
}
