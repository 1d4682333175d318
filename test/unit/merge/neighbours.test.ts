import fc from "fast-check";
import { expect, test } from "vitest";
import { greatCircleKm } from "#contracts/seismic-event/great-circle.ts";
import { sweepNeighbours } from "#services/domain/merge/grouping/neighbours.ts";
import { createPairMeasure } from "#services/domain/merge/grouping/pair-measure.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { inTimeOrder } from "#services/domain/merge/time-order.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { originsOf } from "../../support/origins-of.ts";
import { runs } from "../../support/runs.ts";
import { noonPlus } from "./scenario.ts";

/** Events at one time all over the polar caps and along the date line, or everywhere. */
function scatteredEvents(seed: number, latitudes: number, longitudes: number) {
  const random = randomOf(seed);
  return Array.from({ length: 200 }, (_, i) => ({
    source: i % 3,
    id: `event ${i}`,
    time: noonPlus(0),
    latitude: (random() < 0.5 ? 1 : -1) * (90 - random() * latitudes),
    longitude: (random() < 0.5 ? 1 : -1) * (180 - random() * longitudes),
  }));
}

test("the sweep visits every pair within the thresholds exactly once, wherever it is", () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom(0.5, 10, 90),
      fc.constantFrom(0.5, 180),
      fc.constantFrom(0, 10, 300, 1500),
      (seed, latitudes, longitudes, kilometres) => {
        const events = scatteredEvents(seed, latitudes, longitudes);
        const ordered = inTimeOrder(originsOf(events));
        const byRank = Array.from(ordered.rows, (row) => events[row]);
        const visited: string[] = [];
        sweepNeighbours(
          ordered,
          createPairMeasure(ordered, { thresholds: thresholdsOf(0, kilometres) }),
          (earlier, later) => visited.push(`${earlier} ${later}`),
          () => true,
        );
        const expected = byRank.flatMap((later, j) =>
          byRank.slice(0, j).flatMap((earlier, i) => {
            if (earlier === undefined || later === undefined) return [];
            const isNear = greatCircleKm(earlier, later) <= kilometres;
            return isNear && earlier.source !== later.source ? [`${i} ${j}`] : [];
          }),
        );
        expect(visited.toSorted()).toEqual(expected.toSorted());
      },
    ),
    { numRuns: runs(60) },
  );
});
