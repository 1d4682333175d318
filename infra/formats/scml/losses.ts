/** What could not be written, by what it is, in the order of the first of each. */
export type Losses = {
  /** @param what one of few names, since each is remembered */
  readonly count: (what: string, number?: number) => void;
  /** Sentence for people; "" without losses. */
  readonly told: () => string;
};

export function createLosses(): Losses {
  const counts = new Map<string, number>();
  return {
    count(what, number = 1) {
      if (number > 0) counts.set(what, (counts.get(what) ?? 0) + number);
    },
    told: () => [...counts].map(([what, count]) => `${count} ${what}`).join(", "),
  };
}
