/** Yields the same items, with the next one already requested while one is processed. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]();
  let next = items.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = items.next();
      // A failure is thrown where the promise is awaited; after an early return it is ignored.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await items.return?.();
  }
}
