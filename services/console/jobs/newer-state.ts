type State = { readonly status: string; readonly updated_at: string };

/**
 * The later of two states of an operation, which come by different ways. One that has ended stays so.
 * @param a wins where both are equally late
 */
export function newerState<T extends State>(a: T | null, b: T | null): T | null {
  if (a === null || b === null) return a ?? b;
  const [hasEndedA, hasEndedB] = [a, b].map(({ status }) => status !== "running");
  if (hasEndedA !== hasEndedB) return hasEndedA ? a : b;
  return Date.parse(b.updated_at) > Date.parse(a.updated_at) ? b : a;
}
