import fc from "fast-check";
import { expect, test } from "vitest";
import { proximityDistribution } from "#services/domain/statistics/declustering/proximity-distribution.ts";
import { runs } from "../../../support/runs.ts";
import { aftershockSequences, tableOf } from "../../../support/statistics/aftershock-sequences.ts";

const sum = (counts: readonly { readonly count: number }[] = []) =>
  counts.reduce((total, { count }) => total + count, 0);

test("every event with an earlier one is in one bin and in one cell, and bins have no gaps", () => {
  const catalogue = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1e6 }));
  fc.assert(
    fc.property(catalogue, fc.constantFrom(0, 1, 1.3), ([mainEvents, seed], b) => {
      const table = tableOf(aftershockSequences(mainEvents, seed));
      const options = { df: 1.6, b, threshold: null };
      const { estimate, bins, series } = proximityDistribution(table, options, () => {});
      expect([sum(bins), sum(series)]).toEqual([estimate.n, estimate.n]);
      for (const [i, { from }] of bins.entries()) {
        if (i > 0) expect(from).toBe(bins[i - 1]?.to);
      }
    }),
    { numRuns: runs(30) },
  );
});
