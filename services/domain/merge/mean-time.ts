import {
  fractionDigits,
  microsToTime,
  timeToMicros,
} from "#contracts/seismic-event/origin-time.ts";

const MAX_DIGITS = 6;

export type MeanTime = {
  /** Rounded half up to microseconds, with the digits it needs but at least as many as any given time. */
  readonly time: string;
  /** Unrounded microseconds from the mean to each given time. */
  readonly micros: readonly number[];
};

/**
 * The weighted mean of canonical times. It is computed from offsets to the earliest, which are small
 * whole numbers, so equal weights give the exact mean.
 * @param weights one for each time, positive
 */
export function meanTime(times: readonly string[], weights: readonly number[]): MeanTime {
  const given = times.map(timeToMicros);
  const base = given.reduce((earliest, micros) => (micros < earliest ? micros : earliest));
  const offsets = given.map((micros) => Number(micros - base));
  let weighted = 0;
  let total = 0;
  offsets.forEach((offset, i) => {
    const weight = weights[i] ?? 0;
    weighted += weight * offset;
    total += weight;
  });
  const mean = weighted / total;
  return {
    time: written(base + BigInt(Math.round(mean)), Math.max(...times.map(fractionDigits))),
    micros: offsets.map((offset) => offset - mean),
  };
}

function written(micros: bigint, minDigits: number): string {
  let digits = minDigits;
  while (digits < MAX_DIGITS && micros % 10n ** BigInt(MAX_DIGITS - digits) !== 0n) digits++;
  return microsToTime(micros, digits);
}
