/**
 * The sum of numbers, with what each addition loses carried along: its error does not grow with their
 * number, nor depend on their order in a digit that is shown. After Neumaier 1974.
 */
export function compensatedSum(values: Iterable<number>): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}
