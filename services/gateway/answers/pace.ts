export type PaceLimits = {
  readonly windowMs: number;
  /** In any window. */
  readonly leastBytes: number;
};

/** Whether something goes on fast enough while it is awaited. */
export type Pace = {
  /** Nothing is awaited now: what comes after begins anew. */
  readonly rest: () => void;
  /**
   * Tells that something is awaited.
   * @param bytes that have come in all
   * @returns whether less came in the last window than has to
   */
  readonly isTooSlow: (atMs: number, bytes: number) => boolean;
};

type Sample = { readonly atMs: number; readonly bytes: number };

export function createPace({ windowMs, leastBytes }: PaceLimits): Pace {
  /** From the last one before the window on. */
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
