/** The first event at a time or later, or later than it; the number of events where there is none. */
export function firstAtLeast(times: Float64Array, time: number, isAfter = false): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = times[middle] ?? 0;
    if (at < time || (isAfter && at === time)) low = middle + 1;
    else high = middle;
  }
  return low;
}
