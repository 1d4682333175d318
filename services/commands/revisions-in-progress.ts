/**
 * The catalogues for which this process is writing revisions; the sweep for abandoned ones skips
 * them.
 */
export type RevisionsInProgress = {
  readonly has: (catalogueId: string) => boolean;
  /** Runs `work`, which opens and writes a revision of the catalogue. */
  readonly during: <T>(catalogueId: string, work: () => Promise<T>) => Promise<T>;
};

export function createRevisionsInProgress(): RevisionsInProgress {
  const writers = new Map<string, number>();
  const count = (catalogueId: string, change: number): void => {
    const writing = (writers.get(catalogueId) ?? 0) + change;
    if (writing === 0) writers.delete(catalogueId);
    else writers.set(catalogueId, writing);
  };
  return {
    has: (catalogueId) => writers.has(catalogueId),
    during: async (catalogueId, work) => {
      count(catalogueId, 1);
      try {
        return await work();
      } finally {
        count(catalogueId, -1);
      }
    },
  };
}
