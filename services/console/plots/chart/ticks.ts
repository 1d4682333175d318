/** Round numbers from `from` to `to`, at most about `most` of them: steps of 1, 2 or 5 and powers of ten. */
export function niceTicks(from: number, to: number, most: number): readonly number[] {
  const least = (to - from) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const ticks: number[] = [];
  for (let n = Math.ceil(from / step); n * step <= to; n++) {
    ticks.push(Number((n * step).toFixed(digits)) + 0);
  }
  return ticks;
}
