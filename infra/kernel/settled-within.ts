/** Resolves when some work has ended, however, or when its time is over. */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = () => resolve();
  work.then(end, end);
  await promise;
  clearTimeout(timer);
}
