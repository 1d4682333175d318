/** The same items; the next is already asked for while one is worked on. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]();
  let next = items.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = items.next();
      // It fails where it is awaited, unless nobody wants it any more.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await items.return?.();
  }
}
