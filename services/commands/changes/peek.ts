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
