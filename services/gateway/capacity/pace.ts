export type PaceLimits = {
  readonly windowMs: number;
  /** Minimum in any window. */
  readonly leastBytes: number;
};

/** Checks whether a transfer is fast enough while it is awaited. */
export type Pace = {
  /** Nothing is awaited now; the next window starts anew. */
  readonly rest: () => void;
  /**
   * Records progress while the transfer is awaited.
   * @param bytes total so far
   * @returns whether less than the minimum came in the last window
   */
  readonly isTooSlow: (atMs: number, bytes: number) => boolean;
};

type Sample = { readonly atMs: number; readonly bytes: number };

export function createPace({ windowMs, leastBytes }: PaceLimits): Pace {
  /** Starts with the last sample before the window. */
  let samples: Sample[] = [];
  return {
    rest() {
      samples = [];
    },
    isTooSlow(atMs, bytes) {
      samples.push({ atMs, bytes });
      const begin = samples.findLastIndex((sample) => sample.atMs <= atMs - windowMs);
      if (begin < 0) return false;
      samples = samples.slice(begin);
      return bytes - (samples[0]?.bytes ?? 0) < leastBytes;
    },
  };
}
