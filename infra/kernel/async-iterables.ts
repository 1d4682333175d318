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

/**
 * Takes the first item to find out whether there is one.
 * @returns all items, including the first, which can be read once; null without any
 */
export async function peek<T>(
  source: AsyncIterable<T> | Iterable<T>,
): Promise<AsyncIterable<T> | null> {
  const items = whole(source);
  const first = await items.next();
  if (first.done) return null;
  return (async function* () {
    yield first.value;
    yield* items;
  })();
}

async function* whole<T>(source: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* source;
}
