/**
 * Takes the first item to see whether there is one.
 * @returns all items, the first included, to be read once; null where there are none
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
